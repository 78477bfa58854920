"""tf.Variable by itself: dtypes, names, assignment, rows."""

import copy
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy
from tests.core.step.observing import compilations

DTYPES: list[tuple[Any, Any, str]] = [  # value, dtype argument, dtype of the variable
    (1.0, None, "float32"),
    ([1, 2], None, "int32"),
    (True, None, "bool"),
    (np.float64(1.0), None, "float64"),
    (np.array([1.0]), None, "float64"),
    (np.array([1]), None, "int64"),
    (np.float16(1.0), None, "float16"),
    (1.0, "float64", "float64"),
    (1, np.int64, "int64"),
    (1, "bfloat16", "bfloat16"),
]


@pytest.fixture(params=["no strategy", "two replicas"])
def placed(request: pytest.FixtureRequest) -> Any:
    """Run the test within and without a scope."""
    if request.param == "no strategy":
        yield
    else:
        with MirroredStrategy(["CPU:0", "CPU:1"]).scope():
            yield


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "bfloat16"])
def test_an_array_of_numpy_becomes_a_copy_without_a_program_of_its_shape(dtype: str) -> None:
    array = np.ones((3, 1009), dtype)
    with compilations() as compiled:
        v = tf.Variable(array)
    assert compiled == []
    array[:] = 0
    assert np.all(v.numpy() == np.ones((3, 1009), dtype))
    assert v.dtype == dtype


@pytest.mark.parametrize(("value", "asked", "dtype"), DTYPES)
def test_the_dtype_follows_the_initial_value_as_in_tensorflow(placed: None, value: Any, asked: Any, dtype: str) -> None:
    v = tf.Variable(value, dtype=asked)
    assert v.dtype == dtype
    assert v.numpy().dtype == dtype
    assert np.array_equal(v.numpy(), np.asarray(value))


def test_a_dtype_of_tensorflow_is_taken(placed: None) -> None:
    assert tf.Variable(1.0, dtype=tf.float64).numpy().dtype == np.float64
    assert tf.Variable(1, dtype=tf.int64).numpy().dtype == np.int64


def test_64_bits_stay_exact_through_assignments(placed: None) -> None:
    v, n = tf.Variable(np.float64(0.1)), tf.Variable(np.int64(2**40))
    v.assign_add(np.float64(0.2))
    n.assign_add(np.int64(1))
    assert v.numpy() == 0.1 + 0.2
    assert n.numpy() == 2**40 + 1
    v.assign(np.float64(1e-300))
    assert v.numpy() == 1e-300


def test_the_value_of_a_tensor_a_variable_or_a_function_starts_it(placed: None) -> None:
    first = tf.Variable(tf.constant([1.0, 2.0]))
    second = tf.Variable(first)
    third = tf.Variable(lambda: first * 2.0)
    first.assign([7.0, 7.0])
    assert second.numpy().tolist() == [1.0, 2.0]
    assert third.numpy().tolist() == [2.0, 4.0]


def test_a_place_that_calls_value_does_so_however_often_it_has_run() -> None:
    """CPython replaces instructions that run again by faster ones."""
    v = tf.Variable(1.0)
    for _ in range(100):
        called, read = v.value(), v.value
        assert float(called) == float(read) == 1.0
        assert not callable(read)


def test_assignment_returns_the_variable_and_is_read_at_once(placed: None) -> None:
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]) is v
    assert v.assign_add([1.0, 1.0]) is v
    assert v.assign_sub([0.5, 0.0]) is v
    assert v.numpy().tolist() == [3.5, 5.0]
    assert v.assign([0.0, 0.0], read_value=False) is None
    assert isinstance(v.numpy(), np.ndarray)
    assert isinstance(v.read_value(), jax.Array)
    assert v.value.numpy().tolist() == [0.0, 0.0]  # a property, as in Keras
    called = v.value()  # a method, as in TensorFlow; not in an `assert`, which pytest takes apart
    assert called.numpy().tolist() == [0.0, 0.0]


def test_it_takes_part_in_arithmetic_like_a_tensor(placed: None) -> None:
    v = tf.Variable([1.0, 2.0])
    assert (v + 1.0).numpy().tolist() == [2.0, 3.0]
    assert (2.0 * v - v / 2.0).numpy().tolist() == [1.5, 3.0]
    assert (-v).numpy().tolist() == [-1.0, -2.0]
    assert v[1].numpy() == 2.0
    assert tf.reduce_sum(v).numpy() == 3.0
    assert tf.convert_to_tensor(v).numpy().tolist() == [1.0, 2.0]
    assert float(tf.Variable(2.5)) == 2.5
    assert int(tf.Variable(3)) == 3
    assert v.shape == (2,)
    assert tuple(v.get_shape()) == (2,)


def test_a_value_read_before_survives_an_assignment(placed: None) -> None:
    v = tf.Variable([1.0, 2.0])
    before = v.read_value()
    v.assign_add([1.0, 1.0])
    assert before.numpy().tolist() == [1.0, 2.0]


def test_an_array_given_or_read_is_not_shared_with_the_variable(placed: None) -> None:
    array = np.array([1.0, 2.0], np.float32)
    v = tf.Variable(array)
    array[0] = 9.0
    assert v.numpy()[0] == 1.0
    v.assign(array)
    array[0] = 5.0
    assert v.numpy()[0] == 9.0


def test_another_shape_is_refused_and_changes_nothing(placed: None) -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"initial value's shape \(\(2,\)\) is not compatible"):
        tf.Variable([1.0, 2.0], shape=[3])
    assert v.numpy().tolist() == [1.0, 2.0]


def test_it_is_trainable_unless_told_not_to_be_or_read_per_replica(placed: None) -> None:
    assert tf.Variable(1.0).trainable
    assert not tf.Variable(1.0, trainable=False).trainable
    assert not tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable


def test_its_name_ends_with_the_output_number_of_tensorflow(placed: None) -> None:
    assert tf.Variable(1.0, name="counter").name == "counter:0"
    assert tf.Variable(1.0, name="outer/inner").name == "outer/inner:0"
    assert tf.Variable(1.0).name == "Variable:0"


def test_it_is_a_keras_variable_and_layers_take_it_up() -> None:
    class Scale(tf.keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.factor = tf.Variable([2.0], name="factor")

        def call(self, x: Any) -> Any:
            return x * self.factor

    layer = Scale()
    assert isinstance(layer.factor, keras.Variable)
    assert layer.trainable_variables == [layer.factor]
    assert layer(tf.constant([3.0])).numpy().tolist() == [6.0]


def rows(values: Any, indices: Any) -> Any:
    return tf.IndexedSlices(values=tf.constant(values), indices=tf.constant(indices))


ROWS: list[tuple[str, list[float]]] = [  # of [8, 8, 8, 8] at 0, 2 and again 2, with 2, 4 and 1
    ("scatter_add", [10, 8, 13, 8]),
    ("scatter_sub", [6, 8, 3, 8]),
    ("scatter_mul", [16, 8, 32, 8]),
    ("scatter_div", [4, 8, 2, 8]),
    ("scatter_max", [8, 8, 8, 8]),
    ("scatter_min", [2, 8, 1, 8]),
]


@pytest.mark.parametrize(("method", "expected"), ROWS)
def test_rows_are_updated_and_repeated_ones_count_again(placed: None, method: str, expected: list[float]) -> None:
    v = tf.Variable([8.0] * 4)
    assert getattr(v, method)(rows([2.0, 4.0, 1.0], [0, 2, 2])) is v
    assert v.numpy().tolist() == expected


def test_rows_are_replaced(placed: None) -> None:
    v = tf.Variable([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    v.scatter_update(rows([[7.0, 8.0], [9.0, 9.0]], [2, 0]))
    assert v.numpy().tolist() == [[9, 9], [2, 2], [7, 8]]
    assert v.sparse_read([2, 0]).numpy().tolist() == [[7, 8], [9, 9]]


def test_single_numbers_are_updated_by_their_indices(placed: None) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.scatter_nd_add([[0, 1], [1, 0]], [10.0, 20.0])
    assert v.numpy().tolist() == [[1, 12], [23, 4]]
    v.scatter_nd_sub([[0, 1]], [2.0])
    v.scatter_nd_update([[1, 1]], [0.0])
    assert v.numpy().tolist() == [[1, 10], [23, 0]]


def test_integer_rows_keep_their_dtype(placed: None) -> None:
    v = tf.Variable(np.array([1, 2, 3], np.int64))
    v.scatter_add(tf.IndexedSlices(np.array([2**40]), np.array([1])))
    assert v.numpy().dtype == np.int64
    assert v.numpy().tolist() == [1, 2**40 + 2, 3]


def test_rows_may_be_updated_in_a_step() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def step() -> None:
        v.scatter_add(rows([1.0], [2]))
        v.scatter_nd_update([[0]], [9.0])

    step()
    step()
    assert v.numpy().tolist() == [9.0, 2.0, 5.0]


def test_a_new_value_held_by_the_program_survives_the_next_step(placed: None) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step() -> Any:
        v.assign_add([1.0, 1.0])
        return v.read_value()

    old = v.read_value()
    returned = step()
    held = v.read_value()
    step()
    step()
    assert old.numpy().tolist() == [1.0, 2.0]
    assert returned.numpy().tolist() == [2.0, 3.0]
    assert held.numpy().tolist() == [2.0, 3.0]
    assert v.numpy().tolist() == [4.0, 5.0]


def test_a_deep_copy_is_a_variable_of_its_own(placed: None) -> None:
    v = tf.Variable([1.0, 2.0])
    twin = copy.deepcopy(v)
    v.assign([5.0, 5.0])
    assert twin.numpy().tolist() == [1.0, 2.0]
    twin.assign_add([1.0, 1.0])
    assert twin.numpy().tolist() == [2.0, 3.0]
    assert v.numpy().tolist() == [5.0, 5.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"synchronization": tf.VariableSynchronization.NONE}, "`NONE` variable synchronization mode is not supported"),
        ({"synchronization": "sometimes"}, "Invalid variable synchronization mode 'sometimes'"),
        ({"aggregation": "median"}, "Invalid variable aggregation mode 'median'"),
    ],
)
def test_unknown_modes_are_refused(placed: None, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.Variable(1.0, **options)


def test_without_an_initial_value_there_is_no_variable(placed: None) -> None:
    with pytest.raises(ValueError, match="`initial_value` must be specified"):
        tf.Variable()


@pytest.mark.parametrize("value", [0.0, 2.0, True, False, 0, -1, [0.0], [3]])
def test_a_variable_of_one_number_is_true_or_false_by_its_value(placed: None, value: Any) -> None:
    v = tf.Variable(value)
    assert bool(v) is bool(np.asarray(value).item())
    v.assign(np.ones_like(value))
    assert v


def test_several_numbers_have_no_truth(placed: None) -> None:
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tf.Variable([1.0, 2.0]))


def test_a_compiled_function_decides_by_the_present_value_of_a_variable(placed: None) -> None:
    on_read, added = tf.VariableSynchronization.ON_READ, tf.VariableAggregation.SUM
    flag, count = tf.Variable(True), tf.Variable(0, synchronization=on_read, aggregation=added)

    @tf.function
    def step() -> Any:
        if flag and not count:
            count.assign(5)
        return count.read_value()

    assert step() == 5
    count.assign(3)
    assert step() == 3
    count.assign(0)
    flag.assign(False)
    assert step() == 0


def test_variables_that_keras_makes_are_true_or_false_too() -> None:
    optimizer, metric = keras.optimizers.SGD(), keras.metrics.Mean()
    metric.update_state(2.0)
    assert not optimizer.iterations
    assert metric.count
