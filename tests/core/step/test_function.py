"""tf.function: one program a signature, how often it traces and compiles, and when it runs in Python."""

import collections
import functools
import gc
import logging
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import stratagem as tf
from stratagem._base.errors import OutOfRangeError, TracedDecisionError
from tests.core.step.observing import compilations, dtypes, kinds, programs_made
from tests.thorough import thorough_if

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

TRACES_TO_COMPILE = 1


class Traces:
    """Counts how often Python runs through it: once a trace, whatever the calls."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def traces() -> Traces:
    return Traces()


@pytest.fixture
def two() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


# --- The decorator ----------------------------------------------------------------------------------------------------


def test_decorator_without_arguments() -> None:
    @tf.function
    def double(x: Any) -> Any:
        """Twice."""
        return x * 2

    assert int(double(tf.constant(2))) == 4
    assert double.__name__ == "double"
    assert double.__doc__ == "Twice."


def test_decorator_with_arguments() -> None:
    @tf.function(jit_compile=True, reduce_retracing=True)
    def double(x: Any) -> Any:
        return x * 2

    assert int(double(tf.constant(2))) == 4


def test_function_called_on_a_function() -> None:
    assert int(tf.function(lambda x: x * 2)(tf.constant(2))) == 4


def test_python_function_is_the_original() -> None:
    def plain(x: Any) -> Any:
        return x

    assert tf.function(plain).python_function is plain


def test_defaults_and_keyword_arguments(traces: Traces) -> None:
    @tf.function
    def f(x: Any, factor: int = 2, *, offset: Any = None) -> Any:
        traces()
        return x * factor + (0 if offset is None else offset)

    x = tf.constant(3)
    assert [int(f(x)), int(f(x, factor=3)), int(f(x, offset=tf.constant(1)))] == [6, 9, 7]
    before = traces.count
    assert int(f(x, offset=tf.constant(5))) == 11
    assert traces.count == before


def test_a_method_is_one_program_an_instance(traces: Traces) -> None:
    class Model:
        def __init__(self, factor: float) -> None:
            self.v = tf.Variable(factor)

        @tf.function
        def scaled(self, x: Any) -> Any:
            traces()
            return self.v * x

    a, b = Model(2.0), Model(3.0)
    x = tf.constant(10.0)
    assert [float(m.scaled(x)) for m in (a, b, a, b)] == [20.0, 30.0, 20.0, 30.0]
    assert traces.count == 2 * TRACES_TO_COMPILE
    a.v.assign(5.0)
    assert float(a.scaled(x)) == 50.0


def test_instances_with_compiled_methods_can_die() -> None:
    class Model:
        def __init__(self) -> None:
            self.v = tf.Variable(2.0)

        @tf.function
        def scaled(self, x: Any) -> Any:
            return self.v * x

    model = Model()
    model.scaled(tf.constant(1.0))
    gone = weakref.ref(model), weakref.ref(model.v)
    del model
    gc.collect()
    tf.function(lambda: tf.constant(1.0))()  # a new function clears what is left of dead ones
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_nested_functions_are_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    v = tf.Variable(1.0)

    @tf.function
    def inner(x: Any) -> Any:
        v.assign_add(1.0)
        return x * v

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x)

    assert float(outer(tf.constant(1.0))) == 5.0
    assert float(v) == 3.0
    assert len(made) == 1


@pytest.mark.parametrize("value", [tf.constant([1.0, 2.0]), np.array([1, 2], np.float32), [1.0, 2.0]])
def test_input_signature_accepts_what_fits(value: Any, traces: Traces) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x: Any) -> Any:
        traces()
        return tf.reduce_sum(x)

    assert float(total(value)) == 3.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (tf.constant([1, 2]), r"asks for float32 \(None,\), got int32 \(2,\)"),
        (tf.constant([[1.0]]), r"asks for float32 \(None,\), got float32 \(1, 1\)"),
    ],
)
def test_input_signature_refuses_the_rest(value: Any, text: str) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    with pytest.raises(TypeError, match=text):
        total(value)


def test_input_signature_counts_arguments() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def same(x: Any) -> Any:
        return x

    with pytest.raises(TypeError, match="too many positional arguments"):
        same(tf.constant(1.0), tf.constant(1.0))


def test_input_signature_on_a_method() -> None:
    class Exported:
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def double(self, x: Any) -> Any:
            return x * 2

    assert int(Exported().double(4)) == 8
    with pytest.raises(TypeError, match="double: the signature asks for int32"):
        Exported().double(tf.constant(1.0))


# --- Arguments --------------------------------------------------------------------------------------------------------


def test_python_numbers_are_part_of_the_program(traces: Traces) -> None:
    @tf.function
    def power(x: Any, n: int) -> Any:
        traces()
        for _ in range(n):
            x = x * 2
        return x

    assert [int(power(tf.constant(1), n)) for n in (1, 3, 1, 3)] == [2, 8, 2, 8]
    assert traces.count == TRACES_TO_COMPILE + 1


@pytest.mark.parametrize("make", [np.float32, np.array, tf.constant])
def test_arrays_are_inputs(make: Callable[[float], Any], traces: Traces) -> None:
    @tf.function
    def double(x: Any) -> Any:
        traces()
        return x * 2

    assert [float(double(make(x))) for x in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert traces.count == TRACES_TO_COMPILE


def test_numpy_keeps_its_dtype() -> None:
    @tf.function
    def same(x: Any) -> Any:
        return x + x

    assert same(np.arange(2)).dtype == jnp.int64
    assert same(np.ones(2)).dtype == jnp.float64
    assert same(np.ones(2, np.float16)).dtype == jnp.float16


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64, np.complex128, np.int32, np.complex64])
def test_numpy_enters_a_program_exactly(dtype: Any) -> None:
    """JAX alone would cut 64 bits."""
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    big = (
        np.array([[2**40 + 1, 2**53 - 1, 3]])
        if np.dtype(dtype).itemsize > 4 and dtype is not np.complex64
        else [[5, 6, 7]]
    )
    whole = np.array(big, dtype) * np.array(1 + 2j if np.issubdtype(dtype, np.complexfloating) else 1, dtype)
    for value in (
        whole,
        whole.T,
        whole[:, ::2],
        whole[:0],
        whole.reshape(3)[1:2].reshape(()),
        np.asfortranarray(whole),
    ):
        found = strategy.run(lambda x: x, args=(value,))
        assert found.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found), value)


def test_shapes_and_dtypes_make_programs(traces: Traces) -> None:
    @tf.function
    def total(x: Any) -> Any:
        traces()
        return tf.reduce_sum(x)

    for x in (tf.ones((2,)), tf.ones((3,)), tf.ones((2,), tf.int32), tf.ones((2,)), tf.ones((3,))):
        total(x)
    assert traces.count == TRACES_TO_COMPILE + 2


def test_variables_are_arguments_by_identity() -> None:
    @tf.function
    def bump(v: Any) -> None:
        v.assign_add(1.0)

    a, b = tf.Variable(0.0), tf.Variable(10.0)
    for v in (a, b, a):
        bump(v)
    assert (float(a), float(b)) == (2.0, 11.0)


Point = collections.namedtuple("Point", ["x", "y"])


def test_results_keep_their_structure() -> None:
    @tf.function
    def everything(x: Any) -> Any:
        return {"point": Point(x, 7), "none": None, "list": [x, "text"], "tuple": (x,), "number": 3}

    result = everything(tf.constant(1.0))
    assert isinstance(result["point"], Point)
    assert isinstance(result["point"].x, jax.Array)
    assert result["point"].y == 7
    assert result["none"] is None
    assert result["list"][1] == "text"
    assert isinstance(result["tuple"], tuple)
    assert result["number"] == 3
    assert tf.function(lambda: None)() is None


def test_results_of_replicas_keep_their_structure(two: Any) -> None:
    def replica(x: Any) -> Any:
        return {"own": x, "none": None, "number": 3, "point": Point(x + 1, "y")}

    result = tf.function(lambda: two.run(replica, args=(tf.constant(1.0),)))()
    assert [float(v) for v in result["own"].values] == [1.0, 1.0]
    assert [float(v) for v in result["point"].x.values] == [2.0, 2.0]
    assert (result["none"], result["number"], result["point"].y) == (None, 3, "y")


@pytest.mark.parametrize("in_python", [False, True])
@pytest.mark.parametrize("on_read", [False, True])
def test_a_variable_that_comes_out_is_a_tensor_with_its_value_at_the_end(
    two: Any, on_read: bool, in_python: bool
) -> None:
    mode = tf.VariableSynchronization.ON_READ if on_read else tf.VariableSynchronization.AUTO
    with two.scope():
        v = tf.Variable(2.0, synchronization=mode, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def inner() -> Any:
        return v

    @tf.function
    def step() -> Any:
        before = inner()
        v.assign(v * 2.0)
        if in_python and before < 0:
            return None
        return {"v": v, "before": [before], "replicas": two.run(lambda: v)}

    start = float(v)
    for result in two.experimental_local_results(step()):
        assert [float(result["v"]), float(result["before"][0])] == [2 * start, start]
        assert not any(isinstance(leaf, keras.Variable) for leaf in jax.tree.leaves(result))
    v.assign(0.0)
    (kept,) = two.experimental_local_results(inner())
    v.assign(50.0)
    assert float(kept) == 0.0
    assert float(result["v"]) == 2 * start


# --- How often it traces and compiles ---------------------------------------------------------------------------------


def training(two: Any) -> tuple[Any, Any, Any]:
    """A small model, its optimizer and metric, under a strategy."""
    with two.scope():
        model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(3)])
        return model, keras.optimizers.Adam(0.01), keras.metrics.SparseCategoricalAccuracy()


LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def one_call(two: Any, model: Any, optimizer: Any, metric: Any, batch: Any, traces: Traces) -> Any:
    """The guide's step, its functions created anew at every call."""

    def step_fn(inputs: Any) -> Any:
        traces()
        x, y = inputs
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = tf.nn.compute_average_loss(LOSS(y, logits), global_batch_size=8)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        metric.update_state(y, logits)
        return loss

    return two.run(step_fn, args=(batch,))


def batches(two: Any, sizes: list[int]) -> Iterator[Any]:
    """Distributed batches with these numbers of examples."""
    rng = np.random.default_rng(0)
    for size in sizes:
        x, y = rng.normal(size=(size, 5)).astype("float32"), rng.integers(0, 3, size)
        dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(size)
        yield next(iter(two.experimental_distribute_dataset(dataset)))


def test_a_closure_made_anew_at_every_call_compiles_once(two: Any, traces: Traces) -> None:
    model, optimizer, metric = training(two)
    full, short = batches(two, [8, 4])
    with compilations() as compiled:
        one_call(two, model, optimizer, metric, full, traces)
    assert [n for n in compiled if "replica" in n] == ["jit(replica)"]
    assert traces.count <= 2
    with compilations() as compiled:
        for i in range(199):
            one_call(two, model, optimizer, metric, full, traces)
            if i % 20 == 0:
                gc.collect()
    assert compiled == []
    assert traces.count <= 2
    with compilations() as compiled:
        for _ in range(3):
            one_call(two, model, optimizer, metric, short, traces)
    assert [n for n in compiled if "replica" in n] == ["jit(replica)"]
    assert traces.count <= 4
    assert int(optimizer.iterations) == 203


def test_the_same_through_tf_function(two: Any, traces: Traces) -> None:
    model, optimizer, metric = training(two)
    (full,) = batches(two, [8])

    @tf.function
    def train(batch: Any) -> Any:
        losses = one_call(two, model, optimizer, metric, batch, traces)
        return two.reduce("SUM", losses, axis=None)

    with compilations() as compiled:
        train(full)
    assert [n for n in compiled if "replica" in n] == ["jit(replica)"]
    with compilations() as compiled:
        for _ in range(20):
            train(full)
    assert compiled == []
    assert traces.count <= 2


FACTOR = 2.0
LAST: Any = None


def scaled_by_global(x: Any) -> Any:
    return x * FACTOR


def test_a_global_bound_anew_is_a_new_program(monkeypatch: pytest.MonkeyPatch) -> None:
    f = tf.function(scaled_by_global)
    assert float(f(tf.constant(3.0))) == 6.0
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert float(f(tf.constant(3.0))) == 15.0


def test_a_model_bound_anew_is_a_new_program() -> None:
    model = keras.layers.Dense(1, kernel_initializer="ones")

    def f(x: Any) -> Any:
        return model(x)

    run = tf.function(f)
    assert float(run(tf.ones((1, 2)))[0, 0]) == 2.0
    model = keras.layers.Dense(1, kernel_initializer="zeros")
    assert float(run(tf.ones((1, 2)))[0, 0]) == 0.0


CALLS = 0


def counting_global(x: Any) -> Any:
    global CALLS
    CALLS += 1
    return x + 1


def test_a_global_counter_in_the_function_does_not_retrace() -> None:
    f = tf.function(counting_global)
    for _ in range(5):
        f(tf.constant(1.0))
    assert CALLS == TRACES_TO_COMPILE


def test_a_nonlocal_counter_in_the_function_does_not_retrace() -> None:
    calls = 0

    @tf.function
    def f(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x + 1

    for _ in range(5):
        f(tf.constant(1.0))
    assert calls == TRACES_TO_COMPILE


def test_partials_and_lambdas_made_anew_are_the_same_program() -> None:
    def scaled(factor: float, x: Any) -> Any:
        return x * factor

    with compilations() as compiled:
        for _ in range(4):
            assert float(tf.function(functools.partial(scaled, 2.0))(tf.constant(3.0))) == 6.0
    assert [n for n in compiled if "replica" in n] == ["jit(replica)"]
    assert float(tf.function(functools.partial(scaled, 4.0))(tf.constant(3.0))) == 12.0


TABLE = {"global": 1}


class Holder:
    """What has numbers that Python code reads."""

    def __init__(self) -> None:
        self.number = 1

    @tf.function
    def read(self) -> Any:
        return tf.constant(self.number) * 1


def made_anew(holder: Holder, local: dict[str, int]) -> list[Any]:
    """Functions that read what may be another at the next call, in all places where code can read it."""
    numbers = np.array([local["local"]])

    def inner() -> Any:
        return tf.constant(local["local"]) * 1

    inside = tf.function(inner)
    return [
        tf.function(lambda: tf.constant(TABLE["global"]) * 1),
        tf.function(lambda: tf.constant(local["local"]) * 1),
        tf.function(lambda: tf.constant(holder.number) * 1),
        tf.function(lambda: tf.constant(numbers)[0] * 1),
        tf.function(functools.partial(lambda table: tf.constant(table["local"]) * 1, local)),
        tf.function(lambda: inside()),
        inside,
    ]


def test_a_function_made_anew_reads_what_it_reads_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    holder, local = Holder(), {"local": 1}
    first = made_anew(holder, local)
    assert [int(f()) for f in first] == [1] * 7
    monkeypatch.setitem(TABLE, "global", 5)
    holder.number, local["local"] = 5, 5
    assert [int(f()) for f in first] == [1] * 7  # traced once, as in TensorFlow
    assert [int(f()) for f in made_anew(holder, local)] == [5] * 7


def test_a_method_of_an_instance_is_one_function_however_often_it_is_looked_up() -> None:
    holder, other = Holder(), Holder()
    assert int(holder.read()) == 1
    holder.number = other.number = 5
    assert (int(holder.read()), int(other.read())) == (1, 5)
    assert holder.read.experimental_get_tracing_count() == 1


def test_many_traces_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def total(x: Any, note: Any) -> Any:
        return tf.reduce_sum(x)

    with caplog.at_level(logging.WARNING, logger="stratagem"):
        for n in range(5):
            total(tf.ones((2,)), n)
        assert caplog.messages == []
        for n in range(5, 9):
            total(tf.ones((2,)), n)
    (message,) = caplog.messages
    assert "total was traced 6 times" in message
    assert "argument 1 changed from ('int', 4) to ('int', 5)" in message
    assert "tf.constant" in message


def test_the_warning_names_a_changed_shape(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum(x)

    with caplog.at_level(logging.WARNING, logger="stratagem"):
        for n in range(1, 8):
            total(tf.ones((n,)))
    (message,) = caplog.messages
    assert "argument 0 changed from ((5,), dtype('float32')) to ((6,), dtype('float32'))" in message


# --- Data drawn inside ------------------------------------------------------------------------------------------------


def test_another_iterator_next_epoch_does_not_retrace(traces: Traces) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(6, dtype="float32")).batch(2)

    @tf.function
    def total(iterator: Any) -> Any:
        traces()
        return tf.reduce_sum(next(iterator))

    for _ in range(3):
        iterator = iter(dataset)
        assert [float(total(iterator)) for _ in range(3)] == [1.0, 5.0, 9.0]
    assert traces.count == TRACES_TO_COMPILE


def test_several_draws_a_call() -> None:
    iterator = iter(tf.data.Dataset.range(6))

    @tf.function
    def pair() -> Any:
        return next(iterator), next(iterator)

    assert [tuple(map(int, pair())) for _ in range(3)] == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("draw", [next, lambda iterator: iterator.get_next()])
def test_the_end_of_data(draw: Callable[[Any], Any]) -> None:
    dataset = tf.data.Dataset.range(2)

    @tf.function
    def step(iterator: Any) -> Any:
        return draw(iterator)

    iterator = iter(dataset)
    assert [int(step(iterator)) for _ in range(2)] == [0, 1]
    with pytest.raises((OutOfRangeError, StopIteration)):
        step(iterator)
    assert int(step(iter(dataset))) == 0


def test_the_end_of_data_ends_nothing_else() -> None:
    """An epoch whose end is an exception, as in TensorFlow 1's style of loop."""
    v = tf.Variable(0)
    dataset = tf.data.Dataset.range(4)

    @tf.function
    def step(iterator: Any) -> None:
        v.assign_add(tf.cast(iterator.get_next(), tf.int32) * 0 + 1)

    def whole(iterator: Any) -> None:
        while True:
            step(iterator)

    for epoch in (1, 2):
        with pytest.raises((OutOfRangeError, StopIteration)):
            whole(iter(dataset))
        assert int(v) == 4 * epoch


def test_a_short_last_batch_is_another_program(traces: Traces) -> None:
    dataset = tf.data.Dataset.range(5).batch(2)

    @tf.function
    def total(iterator: Any) -> Any:
        traces()
        return tf.reduce_sum(next(iterator))

    for _ in range(2):
        iterator = iter(dataset)
        assert [int(total(iterator)) for _ in range(3)] == [1, 5, 4]
    assert traces.count <= 2 * TRACES_TO_COMPILE


def test_drawing_in_a_replica_is_refused(two: Any) -> None:
    iterator = iter(tf.data.Dataset.range(4))
    with pytest.raises(ValueError, match=r"outside of replica_fn.*pass the element"):
        tf.function(lambda: two.run(lambda: next(iterator)))()


# --- Host mode --------------------------------------------------------------------------------------------------------


def counting_strategy(two: Any) -> tuple[Any, Callable[[Any], Any]]:
    with two.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def replica(x: Any) -> Any:
        v.assign_add(tf.reduce_sum(tf.cast(x, tf.float32)))
        return tf.cast(tf.reduce_sum(x), tf.float32)

    return v, replica


def distributed(two: Any) -> Any:
    return two.experimental_distribute_dataset(tf.data.Dataset.range(12).batch(4))


def by_hand(two: Any) -> tuple[float, float]:
    v, replica = counting_strategy(two)
    total = 0.0
    for x in distributed(two):
        total += float(two.reduce("SUM", two.run(replica, args=(x,)), axis=None))
    return total, float(v)


@pytest.mark.parametrize("style", ["for", "range", "optional"])
def test_python_drives_loops_over_data(two: Any, style: str, caplog: pytest.LogCaptureFixture, traces: Traces) -> None:
    v, replica = counting_strategy(two)
    data = distributed(two)

    def step(x: Any) -> Any:
        return two.reduce("SUM", two.run(counted, args=(x,)), axis=None)

    def counted(x: Any) -> Any:
        traces()
        return replica(x)

    @tf.function
    def with_for(data: Any) -> Any:
        total = 0.0
        for x in data:
            total += step(x)
        return total

    @tf.function
    def with_range(data: Any) -> Any:
        total, iterator = 0.0, iter(data)
        for _ in tf.range(3):
            total += step(next(iterator))
        return total

    @tf.function
    def with_optional(data: Any) -> Any:
        total, iterator = 0.0, iter(data)
        while True:
            element = iterator.get_next_as_optional()
            if not element.has_value():
                break
            total += step(element.get_value())
        return total

    epoch = {"for": with_for, "range": with_range, "optional": with_optional}[style]
    with caplog.at_level(logging.INFO, logger="stratagem"):
        first = float(epoch(data))
        assert (first, float(v)) == by_hand(two)
        assert float(epoch(data)) == first
    assert len([m for m in caplog.messages if "runs in Python, not as one compiled program" in m]) == 1
    assert traces.count <= 2  # one may be an attempt to compile the whole function


@pytest.mark.parametrize("spread", [False, True], ids=["a dataset", "distributed"])
def test_an_element_drawn_for_a_program_that_cannot_be_made_is_drawn_by_python(two: Any, spread: bool) -> None:
    even = tf.data.Dataset.from_tensor_slices(np.arange(8, dtype=np.float32)).batch(4)
    data = even.concatenate(tf.data.Dataset.from_tensor_slices(np.arange(100, 104, dtype=np.float32)).batch(2))
    iterator = iter(two.experimental_distribute_dataset(data) if spread else data)

    short = 1 if spread else 2

    @tf.function
    def total(iterator: Any) -> Any:
        pair = next(iterator), next(iterator)
        local = [two.experimental_local_results(x)[0] for x in pair]
        if local[0].shape[0] == short:
            return float(sum(v.numpy().sum() * (10.0 if v is local[0] else 1.0) for v in local))
        return tf.reduce_sum(local[0]) * 10.0 + tf.reduce_sum(local[1])

    with two.scope():
        # The first replica has the first half of every batch.
        assert float(total(iterator)) == (19.0 if spread else 82.0)
        assert float(total(iterator)) == (1102.0 if spread else 2215.0)
        for _ in range(2):
            with pytest.raises(tf.errors.OutOfRangeError):
                total(iterator)


def test_an_iterator_has_no_position_while_an_element_is_put_back() -> None:
    iterator = iter(tf.data.Dataset.range(3))
    iterator.put_back(next(iterator))
    with pytest.raises(RuntimeError, match="Draw it first"):
        iterator.get_state()
    assert [int(x) for x in iterator] == [0, 1, 2]


def test_a_decision_on_a_loss_runs_in_python_without_autograph(caplog: pytest.LogCaptureFixture) -> None:
    best = tf.Variable(10.0)

    @tf.function(autograph=False)
    def keep(loss: Any) -> Any:
        if loss < best:
            best.assign(loss)
            return True
        return False

    with caplog.at_level(logging.INFO, logger="stratagem"):
        assert [keep(tf.constant(x)) for x in (12.0, 3.0, 5.0, 1.0)] == [False, True, False, True]
    assert float(best) == 1.0
    (message,) = caplog.messages
    assert "keep runs in Python" in message
    assert "decision on the value of a tensor" in message


def test_nothing_happens_twice_when_a_trace_gives_up() -> None:
    v = tf.Variable(0.0)
    done: list[float] = []

    @tf.function
    def step(x: Any) -> None:
        v.assign_add(1.0)
        done.append(float(x.numpy()))

    step(tf.constant(1.0))
    assert float(v) == 1.0
    assert done == [1.0]


def test_a_decision_in_a_replica_says_what_to_do(two: Any) -> None:
    def replica(x: Any) -> Any:
        return x if x > 0 else -x

    with pytest.raises(TracedDecisionError, match=r"replica function 'replica'.*tf\.cond or tf\.where"):
        two.run(tf.autograph.experimental.do_not_convert(replica), args=(tf.constant(1.0),))


def test_a_decision_on_the_replica_id_says_what_to_do(two: Any) -> None:
    def replica() -> Any:
        if tf.distribute.get_replica_context().replica_id_in_sync_group == 0:
            return tf.constant(1.0)
        return tf.constant(2.0)

    with pytest.raises(TracedDecisionError, match="also on the replica id"):
        tf.function(lambda: two.run(replica), autograph=False)()


# --- Variables --------------------------------------------------------------------------------------------------------


def test_a_variable_may_be_created_on_the_first_call() -> None:
    class Counter:
        v: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(3.0)
            return self.v.assign_add(x)

    counter = Counter()
    assert [float(counter(tf.constant(2.0))) for _ in range(3)] == [5.0, 7.0, 9.0]
    assert float(counter.v) == 9.0


def test_a_variable_created_at_every_call_is_refused() -> None:
    @tf.function
    def step() -> Any:
        return tf.Variable(1.0) + 1.0

    with pytest.raises(ValueError, match=r"tried to create variables on a call other than its first"):
        step()


def test_a_variable_created_later_is_refused() -> None:
    held: list[Any] = []

    @tf.function
    def step(x: Any, create: bool) -> Any:
        if create:
            held.append(tf.Variable(1.0))
        return x

    step(tf.constant(1.0), False)
    with pytest.raises(ValueError, match="tried to create variables"):
        step(tf.constant(1.0), True)


def test_lazily_built_models_and_optimizers_are_initialized_by_the_step() -> None:
    model, optimizer = (
        keras.Sequential([keras.layers.Dense(2), keras.layers.BatchNormalization()]),
        keras.optimizers.Adam(),
    )

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x, training=True) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    step(tf.random.normal((4, 3)))
    assert all(np.isfinite(v.numpy()).all() for v in [*model.variables, *optimizer.variables])
    assert int(optimizer.iterations) == 1


def test_what_was_read_survives_later_steps() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step() -> Any:
        v.assign_add([1.0, 1.0])
        return v.read_value()

    olds = [v.read_value(), v.value]
    returned = step()
    olds.append(v.read_value())
    step()
    step()
    assert [o.tolist() for o in olds] == [[1.0, 2.0], [1.0, 2.0], [2.0, 3.0]]
    assert returned.tolist() == [2.0, 3.0]


def test_trainable_switched_between_calls_is_honoured() -> None:
    layer, optimizer = keras.layers.Dense(1), keras.optimizers.SGD(0.1)
    layer.build((None, 2))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x) ** 2)
        grads = tape.gradient(loss, [layer.kernel, layer.bias])
        pairs = [(g, v) for g, v in zip(grads, [layer.kernel, layer.bias], strict=True) if g is not None]
        if pairs:
            optimizer.apply_gradients(pairs)
        return [g is not None for g in grads]

    x = tf.ones((2, 2))
    assert step(x) == [True, True]
    layer.trainable = False
    frozen = layer.kernel.numpy()
    assert step(x) == [False, False]
    np.testing.assert_array_equal(layer.kernel.numpy(), frozen)
    layer.trainable = True
    assert step(x) == [True, True]
    assert not np.array_equal(layer.kernel.numpy(), frozen)


def test_freezing_a_layer_stops_its_training(two: Any) -> None:
    with two.scope():
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2), keras.layers.Dense(1)])
        optimizer = keras.optimizers.SGD(0.1)
        optimizer.build(model.trainable_variables)

    def replica(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )

    x = tf.ones((2, 2))
    two.run(replica, args=(x,))
    model.layers[0].trainable = False
    before = [v.numpy() for v in model.variables]
    two.run(replica, args=(x,))
    changed = [not np.array_equal(a, v.numpy()) for a, v in zip(before, model.variables, strict=True)]
    assert changed == [False, False, True, True]


def test_a_jitted_helper_sees_the_present_weights() -> None:
    """JAX remembers the traces of such functions, and with them what they read."""
    layer = keras.layers.Dense(1)
    layer.build((None, 2))
    helper = jax.jit(lambda x: layer(x))

    @tf.function
    def train(x: Any) -> Any:
        layer.kernel.assign_add(tf.ones_like(layer.kernel))
        return helper(x)

    @tf.function
    def test(x: Any) -> Any:
        return helper(x)

    layer.kernel.assign(np.zeros((2, 1), "float32"))
    x = tf.ones((1, 2))
    assert [float(f(x)[0, 0]) for f in (train, test, train, test)] == [2.0, 2.0, 4.0, 4.0]


# --- Dtypes, exceptions -----------------------------------------------------------------------------------------------


def test_no_float64_in_a_float32_step(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    with two.scope():
        model = keras.Sequential(
            [
                keras.layers.Conv2D(2, 3, activation="gelu"),
                keras.layers.BatchNormalization(),
                keras.layers.MaxPooling2D(),
                keras.layers.Dropout(0.5),
                keras.layers.Flatten(),
                keras.layers.Dense(3, kernel_regularizer="l2"),
            ]
        )
        optimizer = keras.optimizers.AdamW(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9), clipnorm=1.0)
        metrics = [keras.metrics.SparseCategoricalAccuracy(), keras.metrics.Mean()]

    def replica(x: Any, y: Any) -> Any:
        x = tf.cast(x, tf.float32) / 255.0
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = tf.nn.compute_average_loss(LOSS(y, logits), global_batch_size=4)
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        metrics[0].update_state(y, logits)
        metrics[1].update_state(loss * 2)
        return loss

    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (4, 8, 8, 1)).astype("uint8"), rng.integers(0, 3, 4).astype("int32")
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(4)
    for batch in two.experimental_distribute_dataset(dataset):
        two.run(replica, args=batch)
    assert "float64" not in dtypes(made[-1].closed)
    assert {shape for dtype, shape in kinds(made[-1].closed) if dtype == "int64"} == {()}  # the optimizer's count alone
    assert "float32" in dtypes(made[-1].closed)


def test_float64_is_seen_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    tf.function(lambda x: tf.cast(x, tf.float64) * 2.0)(tf.ones((2,)))
    assert "float64" in dtypes(made[-1].closed)


class MineError(Exception):
    """An exception that only this test knows."""


def test_exceptions_of_user_code_pass_unchanged_and_leave_nothing_changed() -> None:
    v = tf.Variable(1.0)
    error = MineError("as it was raised")

    @tf.function
    def step(x: Any, fail: bool) -> Any:
        v.assign_add(x)
        if fail:
            raise error
        return v.read_value()

    with pytest.raises(MineError) as caught:
        step(tf.constant(1.0), True)
    assert caught.value is error
    assert float(v) == 1.0
    assert float(step(tf.constant(1.0), False)) == 2.0


def test_exceptions_in_a_replica_pass_unchanged_and_leave_nothing_changed(two: Any) -> None:
    with two.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)

    def replica(fail: bool) -> None:
        v.assign_add(1.0)
        if fail:
            raise MineError("as it was raised")

    with pytest.raises(MineError, match="as it was raised"):
        two.run(replica, args=(True,))
    assert float(v) == 1.0
    two.run(replica, args=(False,))
    assert float(v) == 2.0


def test_a_step_that_failed_while_building_can_be_called_again() -> None:
    layer = keras.layers.Dense(2)
    broken = [True]

    @tf.function
    def step(x: Any) -> Any:
        y = layer(x)
        if broken.pop():
            raise MineError("after the layer was built")
        return y

    with pytest.raises(MineError):
        step(tf.ones((1, 3)))
    broken += [False] * 5
    assert step(tf.ones((1, 3))).shape == (1, 2)
    assert np.isfinite(layer.kernel.numpy()).all()


def test_an_iterator_is_drawn_from_wherever_it_stands_among_the_arguments() -> None:
    @tf.function
    def draw(weights: tuple[object, ...], iterator: object) -> object:
        return sum(weights) + next(iterator)

    numbers = [iter(tf.data.Dataset.range(start, start + 9)) for start in (0, 100)]
    one, two = tf.constant(1, tf.int64), tf.constant(2, tf.int64)
    assert int(draw((one,), numbers[0])) == 1 + 0
    assert int(draw((one, two), numbers[1])) == 3 + 100
    assert int(draw((one,), numbers[0])) == 1 + 1


def test_a_generator_starts_anew_within_a_compiled_step() -> None:
    generator = tf.random.Generator.from_seed(7)
    first = generator.normal([2]).numpy().tolist()

    @tf.function
    def step() -> Any:
        generator.reset_from_seed(7)
        return generator.normal([2])

    assert [step().numpy().tolist() for _ in range(2)] == [first, first]


ON_A_MESH: dict[str, Callable[[Any, Any], Any]] = {
    "an operation": lambda m, x: m + x,
    "compiled functions": lambda m, x: jnp.matmul(m, x) + jnp.where(m > 1.0, m, x) + jax.nn.softmax(m),
    "rows": lambda m, x: tf.gather(m, [1, 0]) * x,
    "a loop": lambda m, x: jax.lax.scan(lambda c, _: (c + m, c), x, None, 2)[0],
    "a branch": lambda m, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: m * x, lambda: m),
    "rows at once": lambda m, x: tf.vectorized_map(lambda row: row * m, tf.stack([x, -x])),
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "spec"),
    [
        pytest.param(name, spec, id=f"{name}-{said}", marks=thorough_if(spec == PartitionSpec() and name != "rows"))
        for name in ON_A_MESH
        for said, spec in (("everywhere", PartitionSpec()), ("in parts", PartitionSpec("mine")))
    ],
)
def test_a_step_may_capture_an_array_that_lies_on_another_mesh(name: str, spec: PartitionSpec) -> None:
    mesh = Mesh(jax.devices()[:2], ("mine",))
    local = jnp.asarray([[1.0, 2.0], [3.0, 4.0]])
    placed = jax.device_put(local, NamedSharding(mesh, spec))
    x = tf.constant([[5.0, 6.0], [7.0, 8.0]])

    def step(m: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = ON_A_MESH[name](m, x)
        return y, tape.gradient(y, x)

    def here(x: Any) -> Any:
        return step(placed, x)

    wanted = tf.function(lambda x: step(local, x))(x)
    for run in (tf.function(here), lambda x: tf.distribute.get_strategy().run(here, (x,))):
        for found, want in zip(run(x), wanted, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-6)
    two = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    for found, want in zip(two.run(here, (x,)), wanted, strict=True):
        for value in found.values:
            np.testing.assert_allclose(value, want, rtol=1e-6)
