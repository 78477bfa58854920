"""strategy.reduce and strategy.gather."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import AbstractStrategy, MirroredStrategy
from tests.strategies.facade import spread

SUM, MEAN = tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN
WRONG_OPS = [("max", ValueError, "not a valid ReduceOp"), (3, TypeError, "reduce op"), (None, TypeError, "reduce op")]


def rows(strategy: AbstractStrategy) -> tuple[Any, np.ndarray]:
    """A (2, 3) matrix a replica, and all of them in one array."""
    every = np.arange(6.0 * strategy.num_replicas_in_sync, dtype=np.float64).reshape(-1, 2, 3) ** 2
    return spread(strategy, list(every)), every


@pytest.mark.sampled
def test_sum_and_mean_over_replicas(strategy: AbstractStrategy) -> None:
    value, every = rows(strategy)
    assert np.array_equal(strategy.reduce(SUM, value, axis=None), every.sum(0))
    assert np.allclose(strategy.reduce(MEAN, value, axis=None), every.mean(0), rtol=1e-15)


@pytest.mark.sampled
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_axis_is_reduced_on_top(strategy: AbstractStrategy, axis: int) -> None:
    value, every = rows(strategy)
    own = axis + 1 if axis >= 0 else axis
    assert np.allclose(strategy.reduce(SUM, value, axis=axis), every.sum(own).sum(0), rtol=1e-15)
    assert np.allclose(strategy.reduce(MEAN, value, axis=axis), every.mean(own).mean(0), rtol=1e-14)


@pytest.mark.sampled
def test_several_axes_may_be_given(strategy: AbstractStrategy) -> None:
    value, every = rows(strategy)
    assert np.allclose(strategy.reduce(SUM, value, axis=(0, 1)), every.sum(), rtol=1e-15)
    assert np.allclose(strategy.reduce(MEAN, value, axis=(0, -1)), every.mean(), rtol=1e-14)


@pytest.mark.parametrize(("name", "op"), [("sum", SUM), ("SUM", SUM), ("Mean", MEAN)])
def test_an_op_may_be_named(strategy: AbstractStrategy, name: str, op: Any) -> None:
    value, _ = rows(strategy)
    assert np.array_equal(strategy.reduce(name, value, axis=0), strategy.reduce(op, value, axis=0))


@pytest.mark.sampled
def test_the_mean_of_integers_is_no_integer(strategy: AbstractStrategy) -> None:
    replicas = strategy.num_replicas_in_sync
    value = spread(strategy, [np.array([i, i + 1], np.int32) for i in range(replicas)])
    assert strategy.reduce(SUM, value, axis=0).dtype == np.int32
    assert strategy.reduce(SUM, value, axis=0).numpy() == replicas * replicas
    assert strategy.reduce(MEAN, value, axis=0).numpy() == replicas / 2


def test_the_sum_of_integers_keeps_their_dtype_and_the_mean_divides_truly(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [np.int32(1), np.int32(2)])
    total, mean = mirrored.reduce(SUM, value, axis=None), mirrored.reduce(MEAN, value, axis=None)
    assert (total.dtype, total.numpy()) == (np.int32, 3)
    assert mean.numpy() == 1.5


def test_int64_beyond_32_bits_is_exact(strategy: AbstractStrategy) -> None:
    replicas = strategy.num_replicas_in_sync
    big = 2**40 + 1
    total = strategy.reduce(SUM, spread(strategy, [np.array([big])] * replicas), axis=0)
    assert total.dtype == np.int64
    assert int(total) == replicas * big


def test_booleans_are_counted(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [np.array([True, False]), np.array([True, True])])
    assert mirrored.reduce(SUM, value, axis=0).numpy() == 3
    assert mirrored.reduce(SUM, value, axis=None).numpy().tolist() == [2, 1]
    assert mirrored.reduce(MEAN, value, axis=0).numpy() == 0.75


def test_a_structure_is_reduced_leaf_by_leaf(strategy: AbstractStrategy) -> None:
    value, every = rows(strategy)
    result = strategy.reduce(SUM, {"a": [value], "b": (value,)}, axis=None)
    assert np.array_equal(result["a"][0], every.sum(0))
    assert np.array_equal(result["b"][0], every.sum(0))


@pytest.mark.sampled
def test_the_result_is_one_local_array_that_adds_up_with_others(strategy: AbstractStrategy) -> None:
    total = 0.0
    for _ in range(3):
        result = strategy.run(lambda x: x * 1.0, args=(spread(strategy, [1.0] * strategy.num_replicas_in_sync),))
        reduced = strategy.reduce(SUM, result, axis=None)
        assert reduced.devices() == {strategy.mesh.local_devices[0]}
        total += reduced
    assert isinstance(total, jax.Array)
    assert float(total) == 3.0 * strategy.num_replicas_in_sync
    assert float(total / tf.constant(2.0)) == 1.5 * strategy.num_replicas_in_sync


def test_rows_of_uneven_replicas_all_count_once(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [np.float32([0, 1, 2, 3]), np.float32([4, 5])])
    assert mirrored.reduce(SUM, value, axis=0).numpy() == 15.0
    assert mirrored.reduce(MEAN, value, axis=0).numpy() == 2.5  # sum of sums over sum of counts
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"values of one shape on all replicas, found \[\(4,\), \(2,\)\]"
    ):
        mirrored.reduce(SUM, value, axis=None)


@pytest.mark.sampled
def test_of_no_rows_the_sum_is_zero_and_the_mean_is_not_a_number(strategy: AbstractStrategy) -> None:
    value = spread(strategy, [np.zeros([0], np.float32)] * strategy.num_replicas_in_sync)
    assert strategy.reduce(SUM, value, axis=0).numpy() == 0.0
    assert np.isnan(strategy.reduce(MEAN, value, axis=0).numpy())


def test_empty_replicas_do_not_count(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [np.float32([1, 2]), np.zeros([0], np.float32)])
    assert mirrored.reduce(MEAN, value, axis=0).numpy() == 1.5


@pytest.mark.parametrize("value", [1.0, np.float32(2.0), 0])
def test_a_plain_value_has_a_mean_but_no_sum_over_replicas(mirrored: MirroredStrategy, value: Any) -> None:
    assert mirrored.reduce(MEAN, value, axis=None) is value
    with pytest.raises(ValueError, match=r"non-DistributedValues value .* cannot be reduced with the given reduce op"):
        mirrored.reduce(SUM, value, axis=None)


def test_a_plain_value_has_no_sum_with_an_axis_either(mirrored: MirroredStrategy) -> None:
    value = tf.constant([1.0, 3.0])
    assert mirrored.reduce(MEAN, value, axis=0).numpy() == 2.0
    with pytest.raises(ValueError, match=r"non-DistributedValues value .* cannot be reduced with the given reduce op"):
        mirrored.reduce(SUM, value, axis=0)


@pytest.mark.parametrize("name", ["default", "one device", "mirrored 1"])
def test_a_plain_value_on_one_replica_is_its_own_sum_and_mean(name: str) -> None:
    strategy = tf.distribute.get_strategy() if name == "default" else tf.distribute.MirroredStrategy(["CPU:0"])
    value = tf.constant([1.0, 3.0])
    assert strategy.reduce(SUM, value, axis=None) is value
    assert strategy.reduce(MEAN, value, axis=None) is value
    assert strategy.reduce(SUM, value, axis=0).numpy() == 4.0


def test_the_mean_of_a_mirrored_variable_is_its_value(mirrored: MirroredStrategy) -> None:
    with mirrored.scope():
        v = tf.Variable(3.0)
    assert float(mirrored.reduce(MEAN, v, axis=None)) == 3.0
    with pytest.raises(ValueError, match="cannot be reduced"):
        mirrored.reduce(SUM, v, axis=None)


@pytest.mark.parametrize(("op", "error", "message"), WRONG_OPS)
def test_another_op_is_refused(strategy: AbstractStrategy, op: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        strategy.reduce(op, rows(strategy)[0], axis=0)


def test_a_wrong_axis_is_refused(strategy: AbstractStrategy) -> None:
    value, _ = rows(strategy)
    with pytest.raises(ValueError, match="axis 2 is out of range for a value of rank 2"):
        strategy.reduce(SUM, value, axis=2)
    with pytest.raises(ValueError, match="axis -3 is out of range"):
        strategy.reduce(SUM, value, axis=-3)
    with pytest.raises(TypeError, match="axis must be an integer"):
        strategy.reduce(SUM, value, axis="0")
    with pytest.raises(TypeError, match="axis"):
        strategy.reduce(SUM, value)  # type: ignore[call-arg]


@pytest.mark.sampled
def test_reduce_inside_a_compiled_function_is_the_same(strategy: AbstractStrategy) -> None:
    value, every = rows(strategy)

    @tf.function
    def both(x: Any) -> Any:
        return strategy.reduce(SUM, x, axis=None), strategy.reduce(MEAN, x, axis=0)

    total, mean = both(value)
    assert np.array_equal(total, every.sum(0))
    assert np.allclose(mean, every.mean((0, 1)), rtol=1e-14)


def test_gather_concatenates_in_replica_order(strategy: AbstractStrategy) -> None:
    value, every = rows(strategy)
    assert np.array_equal(strategy.gather(value, axis=0), np.concatenate(list(every), 0))
    assert np.array_equal(strategy.gather({"x": value}, axis=1)["x"], np.concatenate(list(every), 1))


def test_gather_takes_values_that_differ_along_the_axis(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [np.float32([[0, 1], [2, 3]]), np.float32([[4, 5]])])
    assert mirrored.gather(value, axis=0).numpy().tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(ValueError, match="may differ in that dimension only"):
        mirrored.gather(value, axis=1)


def test_gather_takes_empty_values(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [np.float32([1, 2]), np.zeros([0], np.float32)])
    assert mirrored.gather(value, axis=0).numpy().tolist() == [1, 2]


@pytest.mark.parametrize(("value", "axis"), [(1.0, 0), ([1.0], 1), ([1.0], -1)])
def test_gather_refuses_scalars_and_other_axes(mirrored: MirroredStrategy, value: Any, axis: int) -> None:
    with pytest.raises(ValueError, match="gather along axis"):
        mirrored.gather(spread(mirrored, [value, value]), axis=axis)


def test_gather_of_a_plain_tensor_is_the_tensor(strategy: AbstractStrategy) -> None:
    value = tf.constant([1.0, 2.0])
    assert strategy.gather(value, axis=0) is value


def test_a_per_replica_value_is_no_tensor(mirrored: MirroredStrategy) -> None:
    value = spread(mirrored, [1.0, 2.0])
    for use in (lambda: value + 1.0, lambda: tf.constant(1.0) + value, lambda: np.asarray(value), lambda: float(value)):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            use()
    assert not hasattr(value, "numpy")
    assert [float(v) for v in value.values] == [1.0, 2.0]
