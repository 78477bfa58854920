"""Every private name of JAX and Keras that we use exists and does what we rely on; nothing else is touched.

When an upgrade breaks one of these tests, `stratagem/_private` is the folder to adapt.
"""

import ast
import contextlib
import dataclasses
import inspect
import logging
import os
import re
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.extend
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from jax import export
from jax._src import xla_bridge
from keras.src import utils as keras_utils
from keras.src.utils import file_utils, module_utils

import stratagem as tf
from stratagem import _private
from stratagem._base.reader_process import Limits, answers

# Private: tables of this folder, whose entries have to be names of Keras' and of a cache's size; what a reader is made of.
from stratagem._private import _paths, weakly
from stratagem._private._executable_cache import MOST
from stratagem._private._rewritten_programs import _READER as PROGRAM_READER

LISTING = Path(__file__).with_name("listing_reader.py")
FOLDER = Path(_private.__file__).parent
PACKAGE = FOLDER.parent
PRIVATE = ("jax._src", "keras.src")
JAXLIB = ("jaxlib",)

# What the files of `_private` import. A new name needs a test here.
EXPECTED = {
    "jax._src": {
        "cache_key",
        "checkify",
        "compilation_cache",
        "compiler",
        "core",
        "dispatch",
        "distributed",
        "effects",
        "linear_util",
        "pjit",
        "dtypes",
        "source_info_util",
        "stages",
        "xla_bridge",
    },
    "jax._src.ad_util": {"stop_gradient_p"},
    "jax._src.api_util": {"debug_info"},
    "jax._src.array": {"ArrayImpl"},
    "jax._src.compilation_cache_interface": {"CacheInterface"},
    "jax._src.config": {"enable_x64", "traceback_in_locations_limit"},
    "jax._src.dispatch": {"device_put_p"},
    "jax._src.lax.control_flow.conditionals": {"cond_p"},
    "jax._src.lax.control_flow.loops": {"scan_p", "while_p"},
    "jax._src.interpreters": {"mlir", "partial_eval"},
    "jax._src.interpreters.pxla": {"get_default_device"},
    "jax._src.lax": {"lax", "windowed_reductions"},
    "jax._src.lib": {"xla_client"},
    "jax._src.nn": {"functions"},
    "jax._src.numpy": {"ufuncs"},
    "jax._src.linear_util": {"StoreException", "WrappedFun"},
    "jax._src.literals": {"TypedNdArray"},
    "keras.src": {"api_export", "backend", "losses", "utils"},
    "keras.src.backend.common": {"dtypes", "global_state"},
    "keras.src.backend.common.name_scope": {"current_path"},
    "keras.src.backend.jax": {"core", "image", "nn", "numpy", "random"},
    "keras.src.layers": {"layer"},
    "keras.src.losses": {"loss"},
    "keras.src.metrics": {"iou_metrics", "reduction_metrics"},
    "keras.src.metrics.metric": {"Metric"},
    "jax._src.export.shape_poly": {"_DimExpr", "dim_as_value_p"},
    "jax._src.export._export": {"_CUSTOM_CALL_TARGETS_GUARANTEED_STABLE"},
    "jax._src.export": {"serialization_generated"},
    "keras.src.export.export_utils": {"get_input_signature"},
    "keras.src.layers.layer": {"Layer"},
    "keras.src.legacy.saving": {"legacy_h5_format"},
    "keras.src.models.functional": {"Functional"},
    "keras.src.optimizers.base_optimizer": {"BaseOptimizer", "clip_by_global_norm"},
    "keras.src.optimizers.optimizer": {"Optimizer"},
    "keras.src.optimizers.loss_scale_optimizer": {"LossScaleOptimizer"},
    "keras.src.optimizers.multi_optimizer": {"MultiOptimizer"},
    "keras.src.random": {"seed_generator"},
    "keras.src.random.seed_generator": {"GLOBAL_SEED_GENERATOR", "SeedGenerator"},
    "keras.src.ops.operation": {"Operation"},
    "keras.src.saving": {"object_registration", "saving_api", "saving_lib", "serialization_lib"},
    "keras.src.tree": {"tree_api"},
    "keras.src.trainers": {"data_adapters", "trainer"},
    "keras.src.trainers.compile_utils": {"CompileMetrics"},
    "keras.src.trainers.data_adapters": {"array_slicing"},
    "keras.src.utils": {"io_utils", "module_utils", "python_utils", "rng_utils", "summary_utils", "tracking"},
    "keras.src.utils.jax_utils": {"is_in_jax_tracing_scope"},
}


def private_imports(path: Path, names: tuple[str, ...] = PRIVATE) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    text = path.read_text()
    if not any(name in text for name in names):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(names):
            found.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(names):
                    found.setdefault(alias.name, set())
    return found


def users(names: tuple[str, ...]) -> set[str]:
    """The files of the package in which one of these names is imported."""
    return {str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py") if private_imports(p, names)}


def test_private_names_are_used_in_one_building_only() -> None:
    assert {Path(file).parts[0] for file in users(PRIVATE)} == {"_private"}
    # A process that only holds the coordination service imports neither JAX nor Keras.
    assert users(JAXLIB) == {
        "_cluster/coordination.py",
        "_private/_exported_programs.py",
        "_private/_program_context.py",
    }


def test_every_private_name_is_known_here() -> None:
    found: dict[str, set[str]] = {}
    for path in FOLDER.glob("*.py"):
        for module, names in private_imports(path).items():
            found.setdefault(module, set()).update(names)
    assert found == EXPECTED


# --- JAX --------------------------------------------------------------------------------------------------------------


def test_rules_in_programs_are_the_same_objects_in_two_traces_and_others_of_other_functions() -> None:
    def scaled(factor: float) -> Any:
        @jax.custom_jvp
        def made(x: Any) -> Any:
            return x

        made.defjvp(lambda primals, tangents: (primals[0], tangents[0] * factor))
        return made

    def rules(*functions: Any) -> list[Any]:
        programs = [jax.make_jaxpr(lambda x, f=function: jax.jit(f)(x) * 1.0)(1.0) for function in functions]
        assert len({str(program) for program in programs}) == 1
        return [[rule for rule in _private.rules_of(program) if callable(rule)] for program in programs]

    once, again = rules(jax.nn.relu, jax.nn.relu)
    assert once
    assert once == again
    one, other = rules(scaled(1.0), scaled(2.0))
    assert len(one) == len(other)
    assert one != other


def test_trace_level_is_one_object_a_level() -> None:
    levels: dict[str, Any] = {"outside": _private.trace_level()}

    def body(carry: Any, _: Any) -> Any:
        levels["body"] = _private.trace_level()
        return carry, None

    def step(x: Any) -> Any:
        levels["step"] = _private.trace_level()
        jax.jit(lambda x: x + 1)(x)
        assert _private.trace_level() is levels["step"]
        return jax.lax.scan(body, x, None, length=2)[0]

    jax.make_jaxpr(step)(1.0)
    assert _private.trace_level() is levels["outside"]
    assert len({id(level) for level in levels.values()}) == 3


def test_what_is_computed_outside_of_traces_is_compiled_once_for_all_of_them() -> None:
    traced = []

    @jax.jit
    def double(x: Any) -> Any:
        traced.append(True)
        return 2 * x

    def step(x: Any) -> Any:
        with _private.OutsideOfTraces():
            two = double(1.0)
            assert float(two) == 2
        assert isinstance(x + two, jax.core.Tracer)
        return jax.lax.psum(x + two, "replica")

    for number in range(3):
        program = jax.make_jaxpr(step, axis_env=[("replica", 4), (f"trace {number}", 1)])(1.0)
        assert "psum" in str(program)
    assert len(traced) == 1
    assert jax.jit(lambda x: x + double(x))(1.0) == 3


def test_an_error_outside_of_traces_leaves_the_trace_as_it_was() -> None:
    def step(x: Any) -> Any:
        with pytest.raises(ValueError, match="here"), _private.OutsideOfTraces():
            raise ValueError("here")
        return jax.lax.psum(x, "replica")

    assert "psum" in str(jax.make_jaxpr(step, axis_env=[("replica", 4)])(1.0))


def executable(constant: float, call: Any = None) -> Any:
    """Of a program that is made anew, in which this constant is."""

    def double(x: Any) -> Any:
        return x * np.full(3, constant, "float32") if call is None else call(x)

    return jax.jit(double).lower(np.ones(3, "float32")).compile().runtime_executable()


def test_executables_serve_equal_programs() -> None:
    plain = executable(0.125)
    with _private.reusing_executables():
        first, again, other = executable(0.125), executable(0.125), executable(0.25)
    assert first is not plain
    assert first is again
    assert first is not other
    assert executable(0.125) is not first


def test_executables_of_programs_that_call_python_serve_nobody_else() -> None:
    def call(x: Any) -> Any:
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    with _private.reusing_executables():
        assert executable(0.0, call) is not executable(0.0, call)


def test_so_many_executables_are_kept() -> None:
    with _private.reusing_executables():
        found = [executable(float(number)) for number in range(MOST + 1)]
        assert executable(float(MOST)) is found[-1]
        assert executable(0.0) is not found[0]


def test_backends_are_started_by_now() -> None:
    jax.devices()
    assert _private.backends_started()


def test_configured_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _private.configured_cpu_devices() == jax.config.jax_num_cpu_devices == 8
    monkeypatch.setenv("XLA_FLAGS", "--a --xla_force_host_platform_device_count=11 --b")
    assert _private.configured_cpu_devices() == 11


def test_threads_are_reserved_before_the_backend_starts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    jax.devices()
    monkeypatch.delenv("PJRT_NPROC")
    _private.reserve_threads(4)
    assert "PJRT_NPROC" not in __import__("os").environ
    # Private: this process has started them long ago.
    monkeypatch.setattr("stratagem._private._backends.backends_started", lambda: False)
    _private.reserve_threads(1)
    assert "PJRT_NPROC" not in __import__("os").environ
    _private.reserve_threads(4)
    assert int(__import__("os").environ["PJRT_NPROC"]) >= 8


@pytest.mark.parametrize(("devices", "cores", "reserved"), [(1, 1, None), (1, 2, 4), (2, 1, 6), (1, 9, 9)])
def test_a_worker_with_one_device_and_one_core_needs_one_thread(
    monkeypatch: pytest.MonkeyPatch, devices: int, cores: int, reserved: int | None
) -> None:
    """With more, threads that have nothing to do take turns with the one that computes."""
    monkeypatch.delenv("PJRT_NPROC")
    # Private: this process has started them long ago.
    monkeypatch.setattr("stratagem._private._backends.backends_started", lambda: False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    _private.reserve_worker_threads(devices)
    assert os.environ.get("PJRT_NPROC") == (None if reserved is None else str(reserved))


RESERVING = """
import os, sys
from stratagem._hooks import HOOKS, install
from stratagem._private import attach
attach([hook for hook in HOOKS if hook.what not in sys.argv[1:]], by=install)
print(os.environ.get("PJRT_NPROC"))
"""


STARTING = """
import stratagem as tf
x = tf.constant(1)
tf.config.threading.set_inter_op_parallelism_threads(7)
"""


@pytest.fixture(scope="module")
def started() -> "subprocess.CompletedProcess[str]":
    """Another process, which reserves threads, starts a backend and then changes a setting: this one's has started."""
    environment = {k: v for k, v in os.environ.items() if k != "PJRT_NPROC"}
    return subprocess.run(
        [sys.executable, "-c", RESERVING + STARTING, *filter(None, [os.environ.get("STRATAGEM_WITHOUT_HOOK")])],
        env={**environment, "JAX_NUM_CPU_DEVICES": "4"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_threads_for_configured_devices_are_reserved_by_installing(
    started: "subprocess.CompletedProcess[str]",
) -> None:
    assert int(started.stdout) >= 8, started.stderr


def test_the_line_that_started_the_backend_is_known(started: "subprocess.CompletedProcess[str]") -> None:
    place = f"<string>, line {(RESERVING + STARTING).splitlines().index('x = tf.constant(1)') + 1}"
    # From Python 3.13 on the text of a program given by -c is known.
    shown = f"`x = tf.constant(1)` ({place})" if sys.version_info >= (3, 13) else place
    assert f"cannot be modified after initialization, by {shown}.\n" in started.stderr


SCHEDULING = """
import jax
os.sched_getaffinity = lambda pid: {0, 1}
jax.devices()
threads = [int(thread) for thread in os.listdir("/proc/self/task")]
of_xla = [t for t in threads if open(f"/proc/self/task/{t}/comm").read().startswith("tf_XLAEigen")]
policies = {os.SCHED_OTHER: "OTHER", os.SCHED_BATCH: "BATCH"}
print(policies[os.sched_getscheduler(0)], {policies[os.sched_getscheduler(t)] for t in of_xla})
"""

on_linux = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="only Linux has it")


@on_linux
def test_threads_of_replicas_do_not_take_each_others_cores() -> None:
    """In another process, as this one's threads have started."""
    run = subprocess.run(
        [sys.executable, "-c", RESERVING + SCHEDULING, *filter(None, [os.environ.get("STRATAGEM_WITHOUT_HOOK")])],
        env={**os.environ, "JAX_NUM_CPU_DEVICES": "2"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == "OTHER {'BATCH'}"


def _refuse(*_: Any) -> int:
    raise PermissionError


@on_linux
@pytest.mark.parametrize(
    ("devices", "cores", "platform", "user", "expected"),
    [
        (2, 2, "cpu", "OTHER", "BATCH"),
        (1, 2, "cpu", "OTHER", "OTHER"),
        (1, 1, "cpu", "OTHER", "OTHER"),
        (2, 3, "cpu", "OTHER", "OTHER"),
        (2, 2, "other", "OTHER", "OTHER"),
        (2, 2, "cpu", "IDLE", "IDLE"),
        (2, 2, "cpu", "sched_getscheduler", "OTHER"),  # what a sandbox refuses
        (2, 2, "cpu", "sched_setscheduler", "OTHER"),
    ],
)
def test_threads_of_others_are_scheduled_as_the_user_says(
    devices: int, cores: int, platform: str, user: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen where a backend starts its threads, in a thread that starts it."""
    policy_of, during = os.sched_getscheduler, []
    fake = types.SimpleNamespace(experimental=False, factory=lambda: during.append(policy_of(0)))
    monkeypatch.setitem(xla_bridge._backend_factories, platform, fake)
    # Private: the number of devices that this process had when it started.
    monkeypatch.setattr("stratagem._private._backends.configured_cpu_devices", lambda: devices)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    after = []

    def start() -> None:
        if user == "IDLE":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        elif user != "OTHER":
            monkeypatch.setattr(os, user, _refuse)
        with pytest.raises(RuntimeError, match="Could not initialize backend"):
            xla_bridge._init_backend(platform)
        after.append(policy_of(0))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert during == [getattr(os, f"SCHED_{expected}")]
    assert after == [getattr(os, f"SCHED_{user}", os.SCHED_OTHER)]


def test_only_the_note_on_a_tpu_that_nobody_asked_for_is_hidden(caplog: pytest.LogCaptureFixture) -> None:
    missing = "INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared object file: No such file or directory"
    logger = logging.getLogger("jax._src.xla_bridge")
    with caplog.at_level(logging.INFO, logger.name):
        logger.info(f"Unable to initialize backend 'tpu': {missing}")
        logger.info("Unable to initialize backend 'tpu': UNAVAILABLE: no chip")
        logger.info("Unable to initialize backend 'cuda': no driver")
        logger.error(f"Unable to initialize backend 'tpu': {missing}")
    assert [(record.levelname, record.getMessage()[29:39]) for record in caplog.records] == [
        ("INFO", "'tpu': UNA"),
        ("INFO", "'cuda': no"),
        ("ERROR", "'tpu': INT"),
    ]


def test_an_error_about_a_decision_can_be_made_of_a_text() -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError, match="in layer dense"):
        raise jax.errors.TracerBoolConversionError("in layer dense")  # type: ignore[arg-type]


def test_whoever_asks_is_told_of_every_wait_for_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[str] = []

    @contextlib.contextmanager
    def around() -> Iterator[None]:
        waits.append("begun")
        yield

    # Private: what the job of this process, which has none, would have said; it is put back.
    monkeypatch.setattr("stratagem._private._waits._around", None)
    _private.wait_within(around)
    for read in (jax.block_until_ready, float, str, bool, jax.device_get, lambda x: x.numpy(), lambda x: x.item()):
        waits.clear()
        read(jnp.float32(1) + 1)
        assert waits == ["begun"], read


def test_programs_inside_equations_are_found() -> None:
    closed = jax.make_jaxpr(lambda x: jax.lax.cond(x > 0, lambda: x, lambda: -x))(1.0)
    (cond,) = [e for e in closed.jaxpr.eqns if e.primitive.name == "cond"]
    assert len(list(_private.sub_jaxprs(cond.params))) == 2


def test_constants_of_a_trace_are_recognized() -> None:
    found: list[bool] = []

    def step(x: Any) -> Any:
        found.extend(map(_private.is_constant, [x, x + 1, jnp.asarray(3.0), jnp.array([1.0, 2.0]), jnp.zeros(2)]))
        return x

    jax.make_jaxpr(step)(1.0)
    assert found[:3] == [False, False, True]
    assert found[4] is False
    assert _private.is_constant(jnp.ones(2))


@pytest.mark.parametrize("value", [3.0, [1.0, 2.0]])
def test_a_tracer_stands_in_for_a_constant(value: Any) -> None:
    constant = jnp.asarray(value)

    def step(x: Any) -> Any:
        _private.stand_in(constant, x)
        return constant * 2.0, jnp.where(constant > 0, constant, 0.0), jax.jit(lambda c: c + 1)(constant)

    closed = jax.make_jaxpr(step)(constant)
    results = jax.extend.core.jaxpr_as_fun(closed)(constant + 1)
    np.testing.assert_array_equal(results[0], (constant + 1) * 2)
    np.testing.assert_array_equal(results[1], constant + 1)
    np.testing.assert_array_equal(results[2], constant + 2)


@pytest.mark.parametrize(("value", "dtype"), [(0.1, "float64"), (2**40 + 1, "int64"), (2**63 + 1, "uint64")])
def test_numbers_are_converted_to_64_bits_exactly(value: Any, dtype: str) -> None:
    found: list[Any] = [jnp.asarray(value, dtype), keras.ops.convert_to_tensor(value, dtype=dtype)]
    found.append(jax.jit(lambda: jnp.asarray(value, dtype))())
    assert [(x.dtype, x.item()) for x in found] == [(np.dtype(dtype), value)] * 3


def test_defaults_stay_32_bit() -> None:
    assert jnp.asarray(0.1).dtype == jnp.zeros(()).dtype == jnp.float32
    assert jnp.asarray(1).dtype == jnp.arange(3).dtype == jnp.int32


def test_keras_keeps_64_bits_where_there_are_some() -> None:
    assert keras.ops.mean(jnp.asarray([0.1], "float64")).dtype == jnp.float64
    assert keras.ops.mean(jnp.asarray([0.1], "float32")).dtype == jnp.float32


@pytest.mark.parametrize("compiled", [False, True])
def test_a_pooling_layer_of_64_bits_has_second_derivatives(compiled: bool) -> None:
    def second(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.nn.max_pool2d(x, 2, 1, "VALID") ** 3)
            total = tf.reduce_sum(inner.gradient(y, x))
        return outer.gradient(total, x)

    x = tf.reshape(tf.range(9, dtype=tf.float64), [1, 3, 3, 1])
    found = (tf.function(second) if compiled else second)(x)
    # 4, 5, 7 and 8 are the largest of their windows: 6 * x.
    assert found.dtype == tf.float64
    assert np.asarray(found).reshape(9).tolist() == [0, 0, 0, 0, 24, 30, 0, 42, 48]


def test_tensors_have_tensorflow_methods() -> None:
    tensor = tf.constant([1.0, 2.0])
    assert isinstance(tensor.numpy(), np.ndarray)
    assert tensor.get_shape() == (2,)
    shapes: list[Any] = []
    jax.make_jaxpr(lambda x: shapes.append(x.get_shape()) or x)(tensor)
    assert shapes == [(2,)]
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.make_jaxpr(lambda x: x.numpy())(tensor)


def test_shapes_are_of_the_class_that_is_asked_for() -> None:
    def kinds(*values: Any) -> set[type]:
        return {type(value.shape) for value in values}

    x = tf.zeros([2, 3])
    assert kinds(x, keras.Variable(x), keras.Input((3,))) == {tf.TensorShape}
    found: list[Any] = []
    jax.make_jaxpr(lambda x: found.append(x) or x)(x)
    assert kinds(*found) == {tf.TensorShape}
    assert type(x.aval.shape) is tuple
    assert keras.tree.flatten([x.shape]) == jax.tree.leaves([x.shape]) == [2, 3]
    assert type(keras.tree.map_structure(str, x.shape)) is type(jax.tree.map(str, x.shape)) is tf.TensorShape
    with pytest.raises(AttributeError, match="immutable"):
        keras.Input((3,)).shape = (2,)

    class Layer(keras.layers.Layer):
        def build(self, input_shape: Any) -> None:
            found.append(input_shape)

        def call(self, inputs: Any) -> Any:
            return inputs

    Layer()(x)
    Layer()({"a": x, "b": [x]})
    assert found[1:] == [tf.TensorShape([2, 3]), {"a": x.shape, "b": [x.shape]}]
    Layer()([x, None])
    assert found.pop() == [x.shape, None]
    assert {type(shape) for shape in (found[1], found[2]["a"], *found[2]["b"])} == {tf.TensorShape}


# --- Keras variables --------------------------------------------------------------------------------------------------


def test_keras_variables_have_the_parts_that_we_replace() -> None:
    v = keras.Variable(np.ones(2, "float32"))
    assert isinstance(_private.KerasVariable.value, property)
    assert _private.stored(v) is v._value
    assert _private.initialized(v)
    assert {"_direct_assign", "_maybe_autocast", "assign", "assign_add", "assign_sub"} <= set(dir(v))
    assert inspect.signature(_private.KerasVariable.assign).parameters.keys() == {"self", "value"}
    _private.store(v, jnp.zeros(2))
    assert v.numpy().tolist() == [0.0, 0.0]


def test_creation_order() -> None:
    first, second = tf.Variable(1.0), keras.Variable(1.0)
    assert _private.creation_order(first) < _private.creation_order(second)


def test_an_initial_value_can_be_given_before_and_after_the_first() -> None:
    v = keras.Variable(np.ones(2, "float32"))
    _private.set_initial_value(v, np.array([3.0, 4.0], "float32"))
    assert v.numpy().tolist() == [3.0, 4.0]
    with keras.StatelessScope():
        late = keras.Variable(keras.initializers.Zeros(), shape=(2,))
        assert not _private.initialized(late)
        _private.set_initial_value(late, np.array([5.0, 6.0], "float32"))
        with pytest.raises(ValueError, match=r"has shape \(2,\), the initial value \(3,\)"):
            _private.set_initial_value(late, np.zeros(3, "float32"))
    assert late.numpy().tolist() == [5.0, 6.0]


def test_scopes_inside_a_scope_are_seen() -> None:
    v = keras.Variable(1.0)
    with keras.StatelessScope() as outer:
        v.assign(2.0)
        assert _private.scoped_value(v, outer) is None
        with keras.StatelessScope():
            assert _private.scoped_value(v, outer) is None
            v.assign(3.0)
            assert float(_private.scoped_value(v, outer)) == 3.0
        assert _private.in_stateless_scope()
    assert not _private.in_stateless_scope()


# --- Layers, optimizers, losses, metrics, seeds -----------------------------------------------------------------------


def test_builds_are_announced() -> None:
    owners: list[Any] = []
    stop = _private.after_build(owners.append)
    layer, optimizer = keras.layers.Dense(1), keras.optimizers.SGD()
    layer.build((None, 2))
    optimizer.apply([jnp.zeros((2, 1)), jnp.zeros(1)], layer.trainable_variables)
    stop()
    stop()
    keras.layers.Dense(1).build((None, 2))
    assert owners == [layer, optimizer]


def test_an_optimizer_is_built_outside_of_a_stateless_scope() -> None:
    class Mine(keras.optimizers.Nadam):
        def build(self, variables: Any) -> None:
            super().build(variables)
            self.start = keras.Variable(keras.ops.copy(variables[0]))

    layer, optimizer = keras.layers.Dense(1, kernel_initializer="ones"), Mine(0.5)
    with keras.StatelessScope() as scope:
        layer.build((None, 2))
        assert not _private.initialized(layer.kernel)
        optimizer.build(layer.trainable_variables)
        assert _private.in_stateless_scope()
    assert not scope.state_mapping
    assert float(optimizer._u_product.value) == 1.0
    assert np.asarray(optimizer.start.value).tolist() == np.asarray(layer.kernel.value).tolist() == [[1.0], [1.0]]


def test_batch_statistics_are_averaged() -> None:
    layer = keras.layers.BatchNormalization()
    layer.build((None, 2))
    assert [v.aggregation for v in layer.non_trainable_variables] == ["mean", "mean"]
    assert {v.aggregation for v in layer.trainable_variables} == {"none"} or layer.gamma.aggregation != "mean"


def test_metrics_have_state_that_is_reduced_when_read() -> None:
    for metric in (keras.metrics.Mean(), keras.metrics.MeanSquaredError()):
        assert {(v.synchronization, v.aggregation) for v in metric.variables} == {("on_read", "sum")}
        metric.update_state([1.0], [2.0])
        metric.reset_states()
        assert float(metric.result()) == 0.0


def test_a_metric_class_made_later_is_hooked_too() -> None:
    class Largest(keras.metrics.Mean):
        def result(self) -> Any:
            return super().result() * 2

    metric = Largest()
    metric.update_state([1.0, 3.0])
    assert float(metric.result()) == 4.0
    assert Largest.result.__wrapped__


def test_loss_scaling_is_recognized() -> None:
    assert _private.is_loss_scaler(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD()))
    assert not _private.is_loss_scaler(keras.optimizers.SGD())


def test_apply_gradients_is_there_and_returns_iterations() -> None:
    v, optimizer = keras.Variable(1.0), keras.optimizers.SGD(0.5)
    assert int(optimizer.apply_gradients([(jnp.ones(()), v)])) == 1
    assert int(optimizer.apply_gradients([(jnp.ones(()), v)], skip_gradients_aggregation=True)) == 2
    assert float(v.value) == 0.0


def test_seeds_can_come_from_elsewhere_also_in_a_trace() -> None:
    generator, source = keras.random.SeedGenerator(5), jnp.asarray([1, 2], dtype="uint32")
    before = np.asarray(generator.state.value)
    asked = []
    with _private.seeds_from(lambda g: asked.append(g) or source):
        assert generator.next() is source
        jax.make_jaxpr(lambda: keras.random.normal((2,)))()  # Keras alone refuses its global generator here
    assert asked == [generator, _private.global_seed_generator()]
    np.testing.assert_array_equal(generator.state.value, before)
    assert generator.next() is not source


def test_a_generator_tells_the_seed_that_it_was_given() -> None:
    _private.set_random_seed(3)
    assert _private.seed_of(keras.random.SeedGenerator(5)) == 5
    assert _private.seed_of(keras.random.SeedGenerator()) is None
    assert _private.seed_of(_private.global_seed_generator()) is None


def test_seedings_are_counted() -> None:
    number, _ = _private.latest_seeding()
    _private.set_random_seed(3)
    assert _private.latest_seeding() == (number + 1, 3)


def test_the_global_seed_generator_is_kerass_own() -> None:
    generator = _private.global_seed_generator()
    assert _private.global_seed_generator() is generator
    assert _private.is_seed_state(generator.state) or generator.next() is not None
    _private.set_random_seed(3)
    a = keras.random.normal((2,))
    _private.set_random_seed(3)
    np.testing.assert_array_equal(keras.random.normal((2,)), a)
    assert _private.is_seed_state(_private.global_seed_generator().state)


def test_threads_have_one_global_seed_generator_also_when_it_is_set_anew() -> None:
    found = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: found.append(_private.global_seed_generator()))
        thread.start()
        thread.join()
        _private.set_random_seed(3)
    assert found == [_private.global_seed_generator()] * 2


def test_a_state_knows_that_it_is_one_from_the_beginning() -> None:
    assert not _private.makes_seed_state()
    assert _private.is_seed_state(keras.random.SeedGenerator(5).state)
    assert not _private.is_seed_state(keras.Variable(1.0))


# --- What was made under no strategy stays as Keras has it ------------------------------------------------------------


def test_a_plain_variable_has_no_placement() -> None:
    v = keras.Variable(np.ones(2, "float32"))
    assert v._placement is None
    v.assign_add([1.0, 1.0])
    v.assign_sub([0.5, 0.5])
    assert v.numpy().tolist() == [1.5, 1.5]
    assert v.value is v._value


def test_stateless_calls_of_a_plain_model_are_kerass() -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer="ones")])
    trainable = [v.value for v in model.trainable_variables]
    out, _ = jax.jit(model.stateless_call)([t * 3 for t in trainable], [], jnp.ones((1, 2)))
    assert float(out[0, 0]) == 6.0
    assert float(model(jnp.ones((1, 2)))[0, 0]) == 2.0


def test_fit_of_a_model_without_a_strategy_is_that_of_the_formula() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 3)).astype("float32"), rng.normal(size=(8, 1)).astype("float32")
    kernel = rng.normal(size=(3, 1)).astype("float32")
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, use_bias=False)])
    model.layers[0].kernel.assign(kernel)
    model.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    history = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False)
    for _ in range(2):
        kernel = kernel - 0.1 * 2 / 8 * x.T @ (x @ kernel - y)
    np.testing.assert_allclose(model.layers[0].kernel.numpy(), kernel, rtol=1e-5, atol=1e-6)
    assert set(history.history) == {"loss", "mae"}
    assert float(np.mean((model.predict(x, verbose=0) - y) ** 2)) == pytest.approx(
        model.evaluate(x, y, verbose=0)[0], rel=1e-4
    )


def test_a_plain_loss_may_average_over_the_batch() -> None:
    loss = keras.losses.MeanSquaredError()
    assert float(loss(jnp.ones((2, 1)), jnp.zeros((2, 1)))) == 1.0


def test_a_model_trained_by_a_step_can_be_fitted_afterwards() -> None:
    """A compiled step adopts the variables; Keras must still be able to use them."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    tf.function(lambda: model.layers[0].kernel.assign(tf.ones((2, 1))))()
    model.fit(np.ones((4, 2), "float32"), np.zeros((4, 1), "float32"), verbose=0)
    assert (model.layers[0].kernel.numpy() < 1.0).all()


def test_scope_path_names_the_scopes_around_it() -> None:
    assert _private.scope_path() == ""
    with keras.name_scope("outer"), keras.name_scope("inner"):
        assert _private.scope_path() == "outer/inner"


@pytest.mark.parametrize("cls", _private.CALLBACK_STATE, ids=lambda cls: cls.__name__)
def test_callbacks_have_the_state_that_backups_keep(cls: Any) -> None:
    callback = cls("f.keras") if cls is keras.callbacks.ModelCheckpoint else cls()
    callback.on_train_begin()
    assert [name for name in _private.CALLBACK_STATE[cls] if not hasattr(callback, name)] == []


def test_callbacks_have_the_parts_that_we_replace() -> None:
    checkpoint = keras.callbacks.ModelCheckpoint
    for name in ("_save_model", "_get_file_path", "_should_save_model", "_set_monitor_op"):
        assert callable(getattr(checkpoint, name))
    for name in ("on_train_begin", "on_train_batch_end", "on_epoch_end", "on_train_end"):
        assert hasattr(getattr(keras.callbacks.BackupAndRestore, name), "__wrapped__")
    assert callable(keras.callbacks.CallbackList._flush_futures)
    assert callable(keras_utils.io_utils.print_msg)


def test_a_loaded_model_is_compiled(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.save(tmp_path / "model.keras")
    assert keras.models.load_model(tmp_path / "model.keras").compiled


@pytest.mark.sampled
@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int32", "int64", "bfloat16", "float16", "float32", "float64", "complex128"]
)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (64, 32), (1024, 1024)])
def test_a_numpy_array_comes_to_a_device_with_all_its_bits(shape: tuple[int, ...], dtype: str) -> None:
    array = (np.arange(np.prod(shape)) % 251).reshape(shape).astype(jnp.dtype(dtype))
    for device in jax.local_devices():
        for given in (array, array.T):
            found = _private.on_device(given, device)
            assert (found.dtype, found.devices(), found.committed) == (array.dtype, {device}, False)
            np.testing.assert_array_equal(np.asarray(found), given)


def test_a_numpy_array_comes_to_the_default_device_of_the_moment_also_in_a_trace() -> None:
    array, last = np.arange(3, dtype=np.int64), jax.local_devices()[-1]
    found = []
    jax.jit(lambda x: found.append(_private.on_default_device(array)) or x)(1.0)
    with jax.default_device(last):
        found.append(_private.on_default_device(array))
    assert [each.devices() for each in found] == [{jax.local_devices()[0]}, {last}]
    for each in found:
        assert not each.committed
        np.testing.assert_array_equal(np.asarray(each), array, strict=True)


@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 1000)])
def test_zeros_to_share_are_not_copied(shape: tuple[int, ...]) -> None:
    for dtype in (np.dtype("float32"), np.dtype("int64"), np.dtype(bool)):
        zeros = _private.zeros_to_share(shape, dtype)
        np.testing.assert_array_equal(zeros, np.zeros(shape, dtype), strict=True)
        array = _private.on_default_device(zeros)
        if array.size and array.device.platform == "cpu":
            assert array.unsafe_buffer_pointer() == zeros.ctypes.data


@pytest.mark.parametrize("dtype", [">f4", "M8[s]", "S3", object])
def test_a_dtype_that_jax_lacks_does_not_come_to_a_device(dtype: Any) -> None:
    with pytest.raises(TypeError, match="is not a valid JAX array type"):
        _private.on_default_device(np.zeros(2, dtype))


# --- Checks ---------------------------------------------------------------------------------------------------------------


def test_checks_of_a_program_become_results() -> None:
    def step(x: Any) -> Any:
        _private.add_check(x > 2, 7, [x])
        return x * 2

    closed = jax.make_jaxpr(step)(jnp.float32(1))
    assert closed.effects  # so a `map` of a dataset does not take it for a pure program
    for x, number in ((1.0, 0), (3.0, 7)):
        results, found = _private.checked(closed, jnp.float32(x))
        ((value,),) = found.values.values()
        assert (float(results[0]), int(found.number)) == (2 * x, number)
        assert float(value) == x or not number


def test_checks_in_a_loop_survive_its_gradient() -> None:
    def once(carry: Any, x: Any) -> Any:
        _private.add_check(x > 2, 1, [])
        return carry, x * 2

    closed = jax.make_jaxpr(jax.grad(lambda x: jax.lax.scan(once, 0.0, x)[1].sum()))(jnp.ones(3))
    assert int(_private.checked(closed, jnp.array([1.0, 3.0, 1.0]))[1].number) == 1


# --- Paths ----------------------------------------------------------------------------------------------------------------


def test_keras_takes_paths_where_we_ask_for_them() -> None:
    for (owner, name), (parameter, _) in _paths._PARAMETERS.items():
        function = getattr(owner, name)
        assert parameter in inspect.signature(function).parameters
        assert function.__closure__ is not None  # ours, around Keras' own
        assert inspect.unwrap(function).__module__.startswith("keras.")


def test_keras_has_functions_for_files_of_other_machines_from_us() -> None:
    assert module_utils.gfile.available  # without TensorFlow
    assert module_utils.gfile.GFile is tf.io.gfile.GFile
    provided = set(vars(module_utils.gfile.module))
    assert provided >= set(re.findall(r"gfile\.(\w+)\(", inspect.getsource(file_utils))) >= {"GFile", "copy", "exists"}


def test_a_tensor_can_have_the_type_of_a_python_number() -> None:
    def program(number: jax.Array) -> tuple[jax.Array, ...]:
        weak = weakly(number, "float32")
        return weak, weak * jnp.ones(2, "bfloat16"), weak * jnp.ones(2)

    weak, half, single = jax.eval_shape(program, jax.core.ShapedArray((), np.dtype("float64")))
    assert (weak.dtype, weak.weak_type) == (np.float32, True)
    assert (half.dtype, single.dtype) == (jnp.bfloat16, np.float32)


@pytest.mark.parametrize("function", [jnp.clip, jnp.hypot, jax.nn.leaky_relu, jax.nn.elu, jax.nn.selu, jax.nn.celu])
def test_functions_of_jax_are_recognized_in_programs(function: Any) -> None:
    arguments = [1.0] * (3 if function is jnp.clip else 2 if function is jnp.hypot else 1)
    (call,) = jax.make_jaxpr(function)(*arguments).jaxpr.eqns
    assert _private.jax_function(call.params["jaxpr"].jaxpr) == function.__name__


def test_functions_of_the_same_name_are_not_those_of_jax() -> None:
    def clip(x: Any) -> Any:
        return jnp.maximum(0, x)

    (call,) = jax.make_jaxpr(jax.jit(clip))(1.0).jaxpr.eqns
    assert _private.jax_function(call.params["jaxpr"].jaxpr) is None


def test_what_an_exported_program_calls_is_found_also_in_its_gradient() -> None:
    @jax.custom_vjp
    def function(x: Any) -> Any:
        return jnp.sin(x)

    def backward(x: Any, gradient: Any) -> Any:
        return (jax.ffi.ffi_call("someone", jax.ShapeDtypeStruct(x.shape, x.dtype))(gradient),)

    function.defvjp(lambda x: (jnp.sin(x), x), backward)
    allowed = [export.DisabledSafetyCheck.custom_call("someone")]
    program = export.export(jax.jit(function), disabled_checks=allowed)(jax.ShapeDtypeStruct((2,), np.float32))
    assert _private.called_outside(export.deserialize(program.serialize(vjp_order=1))) == ["someone"]
    harmless = export.export(jax.jit(jnp.linalg.inv))(jax.ShapeDtypeStruct((2, 2), np.float32))
    assert _private.called_outside(export.deserialize(harmless.serialize(vjp_order=1))) == []


def test_programs_come_back_from_another_process_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    def exported(function: Any, *arguments: Any) -> bytes:
        return bytes(export.export(jax.jit(function))(*arguments).serialize(vjp_order=1))

    code = exported(jnp.tanh, jax.ShapeDtypeStruct(export.symbolic_shape("b, 3"), np.float32))
    mesh = jax.sharding.Mesh(jax.devices()[:2], "x")
    placed = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    several = exported(jnp.tanh, jax.ShapeDtypeStruct((4,), np.float32, sharding=placed))
    with _private.rewritten_programs([code, several, b"", code]) as rewritten:
        found = rewritten()
    assert [type(each) for each in found] == [_private.RewrittenProgram, str, str, _private.RewrittenProgram]
    assert "it is for several devices" in str(found[1])
    for each in (found[0], found[3]):
        assert isinstance(each, _private.RewrittenProgram)
        assert not each.changed
        np.testing.assert_allclose(each.program.call(np.ones((2, 3), "float32")), np.tanh(np.ones((2, 3))), rtol=1e-6)
        assert each.program.vjp().has_vjp() is False
    # No program that is known to keep the reader for ever does so with every version.
    monkeypatch.setattr("stratagem._private._rewritten_programs._LONGEST", 0.0)
    with _private.rewritten_programs([code]) as rewritten:
        assert rewritten() == ["it was not read within 0 s"]


def test_the_process_that_reads_programs_imports_no_more_than_it_needs() -> None:
    """A load waits for its start, of which NumPy, and what jaxlib imports to tell its version, would be most."""
    listing = dataclasses.replace(PROGRAM_READER, file=os.path.relpath(LISTING, PACKAGE))
    (answer,) = answers(listing, [b"x"], Limits(60.0, 1 << 32))
    assert isinstance(answer, bytes), answer
    modules = {*answer.decode().split()}
    assert {"jaxlib.mlir.ir", "stratagem._private._program_reader"} <= modules
    assert not {"numpy", "jax", "jaxlib._jax", "subprocess", "stratagem._base.errors", "jaxlib.version"} & modules


def test_a_program_without_locations_names_no_file() -> None:
    with _private.without_locations():
        program = export.export(jax.jit(lambda x: jnp.sin(x) * 2))(jax.ShapeDtypeStruct((2,), np.float32))
    assert Path(__file__).name.encode() not in program.serialize()


def test_the_inputs_of_a_model_are_known_without_its_batch() -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    assert _private.input_specs_of_model(model).shape == (None, 3)
    assert _private.input_specs_of_model(keras.Sequential([keras.layers.Dense(1)])) is None
