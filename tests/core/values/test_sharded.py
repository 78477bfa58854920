"""ShardedVariable by itself: what it is, slices, operators, assignment, rows."""

import operator
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import ShardedVariable, Variable, placement_of
from tests.servers.remote.serving import serving

S = slice


def sharded(array: Any, rows: list[int]) -> ShardedVariable:
    """The array, with so many rows in each shard."""
    parts = np.split(np.asarray(array), np.cumsum(rows)[:-1])
    return ShardedVariable([tf.Variable(part, name=f"v/part_{i}") for i, part in enumerate(parts)], "v")


@pytest.fixture
def seven() -> ShardedVariable:
    """0 to 6 in shards of three, two and two rows."""
    return sharded(np.arange(7.0, dtype=np.float32), [3, 2, 2])


def test_it_is_its_shards_one_after_another(seven: ShardedVariable) -> None:
    assert seven.shape == (7,)
    assert seven.get_shape() == (7,)
    assert seven.ndim == 1
    assert seven.dtype == "float32"
    assert seven.name == "v"
    assert seven.trainable
    assert seven.offsets == (0, 3, 5)
    assert [v.shape for v in seven.variables] == [(3,), (2,), (2,)]
    assert list(map(id, seven)) == list(map(id, seven.variables))
    assert seven.is_initialized()
    assert "shape=(7,)" in repr(seven)
    for read in (seven.numpy(), seven.read_value(), np.asarray(seven), jnp.asarray(seven), tf.convert_to_tensor(seven)):
        assert np.array_equal(read, np.arange(7))


def test_numpy_converts_it(seven: ShardedVariable) -> None:
    assert np.array(seven, dtype=np.int64).dtype == np.int64
    assert np.array_equal(np.ones(7) + np.asarray(seven), np.arange(1, 8))


# --- Slices -----------------------------------------------------------------------------------------------------------

ONE = [  # of a vector in shards of 3, 2 and 2
    *(S(None), S(2), S(3), S(0, 3), S(1, 2), S(1, 5), S(3, 5), S(2, 6), S(6, None), S(7, None), S(100, None)),
    *(S(-1, None), S(-3, -1), S(None, -4), S(-100, 3), S(3, 100), S(4, 2), S(1, 1), S(-2, -5)),
    *(S(None, None, 2), S(1, None, 2), S(2, 7, 3), S(0, 7, 4), S(5, None, 5), S(None, None, 100)),
    *(S(None, None, -1), S(6, None, -1), S(5, 1, -2), S(None, 2, -1), S(2, None, -1), S(0, None, -1), S(9, 3, -2)),
    *(S(None, None, -3), S(-1, -8, -1), S(1, 4, -1), 0, 2, 3, 4, 5, 6, -1, -2, -7, None, ..., (), (..., None)),
]
TWO = [  # of a matrix (7, 3)
    *((S(1, 4), 0), (S(1, 4), S(None, None, -1)), (3, 2), (0, ...), (..., 1), (None, S(1, 4)), (S(2, 6, 2), None, 1)),
    *((S(None, None, -2), S(0, 2)), (S(4, 2), 1), (None, 3), (-1, -1), (..., S(None), 0), (3, None), [5, 1]),
]


@pytest.mark.parametrize("index", ONE, ids=str)
def test_a_slice_of_a_vector_is_numpys(seven: ShardedVariable, index: Any) -> None:
    expected = np.arange(7.0, dtype=np.float32)[index]
    assert seven[index].shape == expected.shape
    assert np.array_equal(seven[index], expected)


@pytest.mark.parametrize("index", TWO, ids=str)
def test_a_slice_of_a_matrix_is_numpys(index: Any) -> None:
    array = np.arange(21.0, dtype=np.float32).reshape(7, 3)
    expected = array[tuple(index)]
    found = sharded(array, [3, 2, 2])[index]
    assert found.shape == expected.shape
    assert np.array_equal(found, expected)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(25))
def test_random_slices_are_numpys(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = [int(n) for n in random.integers(1, 6, random.integers(1, 6))]
    array = random.normal(size=(sum(rows), *random.integers(1, 4, random.integers(0, 3)))).astype(np.float32)
    variable = sharded(array, rows)

    def bound() -> int | None:
        return None if random.random() < 0.3 else int(random.integers(-len(array) - 3, len(array) + 4))

    def part(size: int) -> Any:
        if random.random() < 0.3:
            return int(random.integers(-size, size))
        step = None if random.random() < 0.4 else int(random.choice([-3, -2, -1, 1, 2, 3]))
        return slice(bound(), bound(), step)

    for _ in range(3):
        index = tuple(part(size) for size in array.shape[: random.integers(1, array.ndim + 1)])
        assert variable[index].shape == array[index].shape
        assert np.array_equal(variable[index], array[index])


def test_only_the_shards_in_a_slice_are_read() -> None:
    strategy = serving(servers=3, shards=3)
    with strategy.scope():
        seven = tf.Variable(np.arange(7.0))
    home = [placement_of(shard).home for shard in seven.variables]  # type: ignore[union-attr]
    for index, shards in [(3, {1}), (S(3, 5), {1}), (S(2, 4), {0, 1}), (S(6, 4, -1), {2}), (S(None), {0, 1, 2})]:
        before = strategy.servers.traffic()
        assert np.array_equal(seven[index], np.arange(7.0)[index])
        after = strategy.servers.traffic()
        assert {shard for shard, server in enumerate(home) if after[server].sent > before[server].sent} == shards


def test_a_mask_selects_rows(seven: ShardedVariable) -> None:
    mask = np.arange(7) % 2 == 0
    assert np.array_equal(seven[mask], [0, 2, 4, 6])
    assert np.array_equal(seven[tf.constant(mask)], [0, 2, 4, 6])
    with pytest.raises(ValueError, match="mask cannot be scalar"):
        seven[True]


@pytest.mark.parametrize(
    ("index", "error"),
    [
        (7, IndexError),
        (-8, IndexError),
        (1.5, TypeError),
        ("a", TypeError),
        (S(None, None, 0), ValueError),
        (jnp.int32(1), TypeError),
        (S(jnp.int32(1), None), TypeError),
        ((S(None, jnp.int32(1)),), TypeError),
        (np.array([1, 2]), TypeError),
    ],
)
def test_what_cannot_be_an_index(seven: ShardedVariable, index: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        seven[index]


# --- Validation -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variables", [[], (), None, Variable(1.0), [1.0], "ab", [Variable([1.0]), 2.0]], ids=repr)
def test_it_needs_a_list_of_variables(variables: Any) -> None:
    with pytest.raises(TypeError, match="non-empty list of"):
        ShardedVariable(variables)


def test_shards_are_alike_but_for_their_rows() -> None:
    with pytest.raises(ValueError, match="must have the same dtype"):
        ShardedVariable([tf.Variable([1.0]), tf.Variable([1])])
    with pytest.raises(ValueError, match="same shapes except for the first axis"):
        ShardedVariable([tf.Variable([[1.0]]), tf.Variable([[1.0, 2.0]])])
    with pytest.raises(ValueError, match="same shapes except for the first axis"):
        ShardedVariable([tf.Variable(1.0)])


# --- Operators --------------------------------------------------------------------------------------------------------

BINARY = "add sub mul truediv floordiv mod pow lt le gt ge eq ne"


@pytest.mark.parametrize("name", BINARY.split())
@pytest.mark.parametrize("other", [2.0, np.full(7, 3.0, np.float32)], ids=["number", "array"])
def test_operators_are_those_of_the_whole(seven: ShardedVariable, name: str, other: Any) -> None:
    function, array = getattr(operator, name), np.arange(7.0, dtype=np.float32)
    assert np.allclose(function(seven, other), function(array, other))
    assert np.allclose(function(seven, seven + 1.0), function(array, array + 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = function(other, array)
    if isinstance(other, float):
        assert np.allclose(function(other, seven), expected, equal_nan=True)
    assert np.allclose(function(jnp.asarray(other), seven), expected, equal_nan=True)


def test_other_operators() -> None:
    matrix = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    v, bits = sharded(matrix, [2, 2]), sharded(np.array([True, False, True]), [2, 1])
    assert np.array_equal(v @ matrix.T, matrix @ matrix.T)
    assert np.array_equal(jnp.asarray(matrix.T) @ v, matrix.T @ matrix)
    assert np.array_equal(-v, -matrix)
    assert np.array_equal(abs(-1.0 * v), matrix)
    assert np.array_equal(~bits, [False, True, False])
    assert np.array_equal(bits & True, [True, False, True])
    assert np.array_equal(True ^ bits, [False, True, False])
    assert np.array_equal(bits | True, [True, True, True])
    assert np.array_equal(sharded(np.array([1, 2, 6]), [2, 1]) & 2, [0, 2, 2])


def test_functions_take_it_as_a_tensor(seven: ShardedVariable) -> None:
    array = np.arange(7.0, dtype=np.float32)
    assert tf.reduce_sum(seven) == 21
    assert np.array_equal(tf.cast(seven, tf.int32), np.arange(7))
    assert np.array_equal(tf.concat([seven, seven], 0), np.concatenate([array, array]))
    assert np.array_equal(keras.ops.transpose(keras.ops.reshape(seven, (7, 1))), array[None])
    assert np.array_equal(keras.ops.concatenate([seven, array]), np.concatenate([array, array]))
    assert np.array_equal(jnp.concatenate([seven, array]), np.concatenate([array, array]))
    assert np.array_equal(jnp.ones(7) * seven, array)


def test_it_is_no_boolean(seven: ShardedVariable) -> None:
    with pytest.raises(TypeError, match="cannot be used as a boolean"):
        bool(seven)


# --- Assignment -------------------------------------------------------------------------------------------------------


def test_assignments_reach_every_shard(seven: ShardedVariable) -> None:
    assert seven.assign(np.full(7, 2.0)) is seven
    assert np.array_equal(seven, np.full(7, 2.0))
    assert seven.assign_add(np.arange(7.0)) is seven
    assert seven.assign_sub([1.0] * 7) is seven
    assert np.array_equal(seven, 1 + np.arange(7.0))
    assert np.array_equal(seven.variables[1], [4.0, 5.0])
    other = sharded(np.zeros(7, np.float32), [7])
    assert np.array_equal(other.assign(seven), seven)


@pytest.mark.parametrize("shape", [(6,), (8,), (7, 1), ()])
def test_another_shape_is_refused_and_changes_nothing(seven: ShardedVariable, shape: tuple[int, ...]) -> None:
    for assign in (seven.assign, seven.assign_add, seven.assign_sub):
        with pytest.raises(ValueError, match=r"has shape \(7,\)"):
            assign(np.zeros(shape))
    assert np.array_equal(seven, np.arange(7))


SCATTERS: dict[str, Callable[[np.ndarray, list[int], np.ndarray], None]] = {
    "scatter_add": lambda a, i, v: np.add.at(a, i, v),
    "scatter_sub": lambda a, i, v: np.subtract.at(a, i, v),
    "scatter_mul": lambda a, i, v: np.multiply.at(a, i, v),
    "scatter_div": lambda a, i, v: np.divide.at(a, i, v),
    "scatter_max": lambda a, i, v: np.maximum.at(a, i, v),
    "scatter_min": lambda a, i, v: np.minimum.at(a, i, v),
    "scatter_update": lambda a, i, v: a.__setitem__(i, v),
    "batch_scatter_update": lambda a, i, v: a.__setitem__(i, v),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", SCATTERS)
@pytest.mark.parametrize("ids", [[0], [6, 0, 3], [2, 3, 4, 5], [1, 1, 1, 6], [-1, 4], []], ids=str)
def test_scatters_are_those_of_the_whole(name: str, ids: list[int]) -> None:
    if name.endswith("update") and len(set(ids)) < len(ids):
        return  # which of two values stays is not said
    array = np.arange(1.0, 15.0, dtype=np.float32).reshape(7, 2)
    v, rows = sharded(array, [3, 2, 2]), np.full((len(ids), 2), 2.5, np.float32)
    assert getattr(v, name)(tf.IndexedSlices(rows, np.array(ids, np.int32))) is v
    SCATTERS[name](array, ids, rows)
    assert np.allclose(v, array)


# --- Rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [[0, 6, 3, 3], [], [[1, 4], [6, 2]], 5], ids=str)
def test_rows_come_in_the_order_of_their_numbers(ids: Any) -> None:
    array = np.arange(14.0, dtype=np.float32).reshape(7, 2)
    v, ids = sharded(array, [3, 2, 2]), np.array(ids, np.int32)
    for read in (v.sparse_read(ids), tf.gather(v, ids), tf.nn.embedding_lookup(v, ids), keras.ops.take(v, ids, axis=0)):
        assert np.array_equal(read, array[ids])
    for params in ([v], v.variables):
        assert np.array_equal(tf.nn.embedding_lookup(params, ids), array[ids])
    assert np.array_equal(tf.gather(v, [1, 0], axis=1), array[:, ::-1])
    assert np.array_equal(keras.ops.take(v, [1, 0], axis=1), array[:, ::-1])


def test_a_row_that_does_not_exist_is_an_error_where_it_is_known(seven: ShardedVariable) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Index 7 is not in"):
        tf.gather(seven, [0, 7])
    inside = tf.function(lambda ids: tf.gather(seven, ids))
    assert np.array_equal(inside(tf.constant([6, 7, -1, 0])), [6, 0, 0, 0])


# --- In programs ------------------------------------------------------------------------------------------------------


def test_gradients_flow_to_the_shards(seven: ShardedVariable) -> None:
    @tf.function
    def gradients() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(seven**2) + tf.reduce_sum(tf.gather(seven, [0, 4, 4]) * 10.0) + seven[3]
        return tape.gradient(loss, seven.variables)

    found = np.concatenate(gradients())
    expected = 2 * np.arange(7.0)
    np.add.at(expected, [0, 4, 4], 10)
    expected[3] += 1
    assert np.array_equal(found, expected)


def test_it_is_assigned_within_a_compiled_function(seven: ShardedVariable) -> None:
    @tf.function
    def change(x: Any) -> Any:
        seven.assign_add(x)
        seven.scatter_add(tf.IndexedSlices(tf.ones([2]), tf.constant([0, 6])))
        return tf.reduce_sum(seven)

    assert change(tf.ones([7])) == 21 + 7 + 2
    assert np.array_equal(seven, [2, 2, 3, 4, 5, 6, 8])


def test_a_module_has_the_shards(seven: ShardedVariable) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = seven
            self.listed = [seven, tf.Variable(1.0)]

    model = Model()
    assert len(model.variables) == 4
    assert {id(v) for v in seven.variables} <= {id(v) for v in model.trainable_variables}
