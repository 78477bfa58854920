"""Sums over replicas that do not wait for each other share a message, and the program computes the same."""

from types import SimpleNamespace
from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

import stratagem as tf
from stratagem._core.mesh import AXIS, PACK_BYTES

# Private: programs of all kinds are given to it.
from stratagem._core.step.collectives._sums import packed, psum, summed
from stratagem._core.step.programs import _trace as tracing
from stratagem._core.step.programs._exchanges import with_exchanges
from stratagem._core.step.programs._joined_messages import with_joined_messages
from tests.core.step.observing import count, programs_made

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

REPLICAS = 2
ENV = [(AXIS, REPLICAS)]
# What a program may do next, with the values of the given numbers so far, taken round and round.
OPERATIONS = st.tuples(
    st.sampled_from(["sum", "sum", "sums", "add", "all", "round"]), st.integers(0, 20), st.integers(0, 20)
)
INPUTS = (np.arange(6).reshape(2, 3), np.array([3, 5]), np.array([[[1], [2]], [[7], [9]]]))  # of two replicas each


def sizes(jaxpr: Any) -> list[int]:
    """The bytes of the messages at the top level."""
    return [eqn.invars[0].aval.size * 4 for eqn in jaxpr.eqns if eqn.primitive.name == "psum"]


def program(operations: Any) -> Any:
    """A function of a replica's inputs, of which the first two are numbers with a point: whole ones, so that sums are exact."""

    def run(*inputs: Any) -> list[Any]:
        found = list(inputs)
        for kind, i, j in operations:
            x, y = found[i % len(found)], found[j % len(found)]
            if kind == "sum":
                found.append(jax.lax.psum(x, AXIS))
            elif kind == "sums":
                pairs = [x, y] if x.dtype == y.dtype else [x]
                pack = packed(pairs, platform="cpu")
                found += [jax.lax.psum(pack, AXIS), pack] if i % 2 else [jax.lax.psum(pack, AXIS)]
            elif kind == "add":
                found.append(x + jnp.sum(y).astype(x.dtype))
            elif kind == "all":
                found.append(jax.lax.pmax(x, AXIS))
            else:
                found.append(jnp.where(x > 5, x - 4, x + 1))
        return found

    return run


def made(operations: Any) -> tuple[xc.ClosedJaxpr, list[np.ndarray]]:
    values = [v.astype("float32" if i < 2 else "int32") for i, v in enumerate(INPUTS)]
    return jax.make_jaxpr(program(operations), axis_env=ENV)(*(v[0] for v in values)), values


def results(closed: xc.ClosedJaxpr, values: Any) -> list[np.ndarray]:
    return list(map(np.asarray, jax.vmap(xc.jaxpr_as_fun(closed), axis_name=AXIS)(*values)))


def unjoined(jaxpr: Any, most: int) -> list[tuple[Any, Any]]:
    """The pairs of sums at the top level that could share a message: found by following every value back."""
    sums = [eqn for eqn in jaxpr.eqns if eqn.primitive.name == "psum"]
    maker = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}

    def needs(eqn: Any, other: Any) -> bool:
        before = [maker[v] for v in eqn.invars if not isinstance(v, xc.Literal) and v in maker]
        return any(each is other or needs(each, other) for each in before)

    def fit(a: Any, b: Any) -> bool:
        x, y = a.invars[0].aval, b.invars[0].aval
        return bool(x.dtype == y.dtype and (x.size + y.size) * x.dtype.itemsize <= most)

    return [(a, b) for i, a in enumerate(sums) for b in sums[i + 1 :] if fit(a, b) and not needs(b, a)]


@hypothesis.given(st.lists(OPERATIONS, max_size=9), st.sampled_from([8, 40, PACK_BYTES]))
def test_a_program_computes_the_same_with_fewer_messages(operations: Any, most: int) -> None:
    closed, values = made(operations)
    joined = with_joined_messages(closed, ENV, most)
    for before, after in zip(results(closed, values), results(joined, values), strict=True):
        np.testing.assert_array_equal(before, after)
    assert not unjoined(joined.jaxpr, most)
    assert count(joined, "psum") <= count(closed, "psum")
    assert max(sizes(joined.jaxpr), default=0) <= max([most, *sizes(closed.jaxpr)])


def mesh(replicas: int, workers: int, platform: str) -> Any:
    job, device = SimpleNamespace(workers=workers), SimpleNamespace(platform=platform)
    return SimpleNamespace(num_replicas=replicas, job=job, devices=(device,) * replicas)


@hypothesis.given(st.lists(OPERATIONS, max_size=9))
def test_two_workers_exchange_what_is_to_be_summed(operations: Any) -> None:
    closed, values = made(operations)
    exchanged = with_exchanges(closed, mesh(2, 2, "cpu"))
    assert count(exchanged, "psum") == 0
    for before, after in zip(results(closed, values), results(exchanged, values), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("of", [(2, 1, "cpu"), (4, 2, "cpu"), (3, 3, "cpu"), (2, 2, "gpu")])
def test_other_jobs_leave_sums_to_an_all_reduce(of: tuple[int, int, str]) -> None:
    closed, _ = made([("sum", 0, 0)])
    assert with_exchanges(closed, mesh(*of)) is closed


def test_the_gradient_of_an_exchange_is_that_of_a_sum() -> None:
    """A tape outside of the step differentiates the program."""
    devices = jax.sharding.Mesh(np.array(jax.devices()[:REPLICAS]), (AXIS,))
    each = jax.sharding.PartitionSpec(AXIS)
    x = jnp.asarray([[1.0, 2.0], [3.0, 5.0]])

    def run(x: Any) -> Any:
        return jnp.sin(jax.lax.psum(x * (jax.lax.axis_index(AXIS) + 1.0), AXIS))

    closed = jax.make_jaxpr(run, axis_env=ENV)(x[:1])
    found = []
    for version in (closed, with_exchanges(closed, mesh(2, 2, "cpu"))):
        step = jax.shard_map(
            lambda x, version=version: xc.jaxpr_as_fun(version)(x)[0], mesh=devices, in_specs=each, out_specs=each,
            check_vma=False,
        )  # fmt: skip
        found.append(np.asarray(jax.grad(lambda x, step=step: jnp.sum(step(x)))(x)))
    np.testing.assert_array_equal(*found)
    assert np.abs(found[0]).min() > 0


def test_a_sum_that_needs_another_stays_a_message_of_its_own() -> None:
    closed, _ = made([("sum", 0, 0), ("sum", 3, 0), ("sum", 4, 0)])
    assert count(with_joined_messages(closed, ENV, PACK_BYTES), "psum") == 3
    closed, _ = made([("sum", 0, 0), ("sum", 1, 0), ("sum", 2, 0)])  # the last one of integers
    assert count(with_joined_messages(closed, ENV, PACK_BYTES), "psum") == 2


def test_what_is_packed_already_is_packed_once() -> None:
    """As gradients are: a message of everything has each value once, and no pack is packed again."""

    def run(x: Any, y: Any, loss: Any) -> Any:
        total = summed([x, y], "cpu")
        return total, psum(loss)

    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        numbers: list[Any] = []
        without = tracing.with_joined_messages

        def noted(*args: Any) -> xc.ClosedJaxpr:
            numbers.append((args[0], without(*args)))
            return numbers[-1][1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tracing, "with_joined_messages", noted)

            @tf.function
            def step() -> Any:
                def replica() -> Any:
                    index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
                    return run(tf.fill([3], index), tf.fill([2, 2], index + 1), index + 5)

                return tf.distribute.get_strategy().run(replica)

            (x, y), loss = jax.tree.map(lambda v: v.values[0].tolist(), step())
    assert (x, y, loss) == ([1.0] * 3, [[3.0, 3.0], [3.0, 3.0]], 11.0)
    before, after = numbers[-1]
    assert (count(before, "psum"), count(after, "psum")) == (2, 1)
    packs = [eqn for eqn in after.jaxpr.eqns if eqn.params.get("name") == "_packed"]
    assert [[v.aval.shape for v in eqn.invars] for eqn in packs] == [[(3,), (2, 2), ()]]


@pytest.mark.parametrize("printed", [False, True])
def test_a_step_sends_its_loss_with_its_gradients(
    printed: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where nothing acts between them, whose order might change."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    traces = programs_made(monkeypatch)
    with strategy.scope():
        weight, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.SGD(0.5)

    def replica() -> Any:
        index = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * (index + 1))
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        if printed:
            tf.print("after the update:", weight)
        return loss

    @tf.function
    def step() -> Any:
        return strategy.reduce("SUM", strategy.run(replica), axis=None)

    assert float(step()) == 9.0
    np.testing.assert_array_equal(weight.numpy(), [-0.5, 0.5])
    assert count(traces[-1].closed, "psum") == (2 if printed else 1)
    assert ("after the update" in "".join(capfd.readouterr())) is printed


@pytest.mark.parametrize(("platform", "apart"), [("cpu", True), ("gpu", False)])
def test_what_is_packed_is_computed_before_that_on_cpus(platform: str, apart: bool) -> None:
    """XLA would compute it inside of the concatenation, element by element. Elsewhere nobody has measured it."""
    values = [jnp.ones((3, 2)), jnp.ones(4)]
    program = jax.jit(lambda *values: packed([jnp.sin(v) for v in values], platform=platform)).lower(*values)
    assert ("call @computed" in (text := program.as_text()), 'inlineable = "false"' in text) == (apart, apart)
    np.testing.assert_allclose(program.compile()(*values), np.sin(np.ones(10)), rtol=1e-6)
