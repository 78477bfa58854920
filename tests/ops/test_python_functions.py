"""`tf.py_function` and `tf.numpy_function` in compiled steps: all dtypes, gradients, errors, replicas."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf

VALUES = {
    "float64": np.array([1 / 3, 2**60 + 1.0, -np.inf]),
    "int64": np.array([2**60 + 1, -(2**63), 3]),
    "uint64": np.array([2**64 - 1, 0, 5], np.uint64),
    "complex128": np.array([1 / 3 + 1j / 7, -1j, 2]),
    "complex64": np.array([1 + 2j, 0, -1j], np.complex64),
    "float32": np.array([1 / 3, np.nan, 2], np.float32),
    "float16": np.array([1 / 3, 2, 3], np.float16),
    "bfloat16": np.array([1, 2.5, 3]).astype(tf.bfloat16.as_numpy_dtype),
    "int8": np.array([-128, 127, 0], np.int8),
    "bool": np.array([True, False, True]),
}


@pytest.mark.parametrize("call", [tf.numpy_function, tf.py_function], ids=["numpy", "py"])
def test_values_of_all_dtypes_are_exact(call: Any) -> None:
    seen = []

    def same(*values: Any) -> Any:
        seen.extend(np.asarray(v) for v in values)
        return values

    types = [tf.as_dtype(name) for name in VALUES]
    shapes = [(3,)] * len(types)
    scalar = tf.function(lambda x: call(lambda v: v, [x], tf.int64, result_shape=()))
    assert int(scalar(tf.constant(2**60 + 1, tf.int64))) == 2**60 + 1
    returned = tf.function(lambda *args: call(same, args, types, result_shape=shapes))(
        *map(tf.constant, VALUES.values())
    )
    assert len(seen) == len(VALUES)
    for found, got, (name, value) in zip(returned, seen, VALUES.items(), strict=True):
        assert (found.dtype.name, got.dtype) == (name, value.dtype)
        np.testing.assert_array_equal(np.asarray(found), value)
        np.testing.assert_array_equal(got, value)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("where", ["python", "function", "nested", "replica"])
def test_py_function_has_gradients_and_numpy_function_has_none(where: str, name: str) -> None:
    # As TensorFlow 2.15.1 answers: [6, 12], None, and zeros for a result that does not depend on the argument.
    def step() -> Any:
        x = tf.constant([1.0, 2.0], name)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            cubed = tf.py_function(lambda v, n: v * v * tf.cast(n, v.dtype), [x, 3], x.dtype, result_shape=(2,))
            constant = tf.py_function(lambda v: tf.ones_like(v), [x], [x.dtype], result_shape=[(2,)])
            numpy = tf.numpy_function(lambda v: v * v, [x], x.dtype, result_shape=(2,))
        zeros = tape.gradient(constant, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return tape.gradient(cubed, x), zeros, tape.gradient(numpy, x)

    if where == "replica":
        strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
        found = [part if part is None else strategy.experimental_local_results(part)[1] for part in strategy.run(step)]
    else:
        made = {"python": step, "function": tf.function(step), "nested": tf.function(lambda: tf.function(step)())}
        found = list(made[where]())
    assert found.pop() is None
    assert [each.dtype.name for each in found] == [name, name]
    assert [np.asarray(each).tolist() for each in found] == [[6, 12], [0, 0]]


def test_jacobians_call_the_function_for_every_row() -> None:
    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda v: v**3, [x], tf.float32, result_shape=(2,))
        return tape.jacobian(y, x)

    assert np.asarray(step(tf.constant([1.0, 2.0]))).tolist() == [[3, 0], [0, 12]]


class _OwnError(Exception):
    """An error that no library knows."""


@pytest.mark.sampled
@pytest.mark.parametrize("where", ["python", "function", "replica"])
@pytest.mark.parametrize("error", [ValueError("inside"), _OwnError("mine")], ids=["ValueError", "own"])
def test_an_exception_arrives_with_its_class_and_leaves_variables_as_they_were(where: str, error: Exception) -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    with strategy.scope():
        variable = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
    fails = [True]

    def fail(x: Any) -> Any:
        if fails[0]:
            raise error
        return x

    def step() -> Any:
        value = tf.numpy_function(fail, [tf.constant(3.0)], tf.float32, result_shape=())
        variable.assign(value)
        return value

    call = {"python": step, "function": tf.function(step), "replica": lambda: strategy.run(step)}[where]
    for _ in range(2):
        with pytest.raises(type(error), match=str(error)):
            call()
        assert float(variable) == 1
    fails[0] = False
    call()
    assert float(variable) == 3


def test_every_replica_calls_once() -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    seen: list[int] = []

    def note(replica: np.ndarray) -> np.ndarray:
        seen.append(int(replica))
        return replica

    def step() -> Any:
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.numpy_function(note, [replica], tf.int32, result_shape=())

    found = strategy.experimental_local_results(strategy.run(tf.function(step)))
    assert [int(each) for each in found] == [0, 1]
    assert sorted(seen) == [0, 1]


@pytest.mark.parametrize("compiled", [False, True], ids=["python", "function"])
@pytest.mark.parametrize(
    ("function", "dtypes", "shapes", "message"),
    [
        (lambda v: (v, v), [tf.float32], [()], "returned 2 value"),
        (lambda v: None, tf.float32, (), "returned 0 value"),
        (lambda v: np.float32(3.5), tf.int32, (), "returned float32, but Tout has int32"),
        (lambda v: np.complex64(1j), tf.float32, (), "returned complex64, but Tout has float32"),
    ],
    ids=["count", "none", "fraction", "complex"],
)
def test_results_that_do_not_fit_are_refused(
    function: Any, dtypes: Any, shapes: Any, message: str, compiled: bool
) -> None:
    def step() -> Any:
        return tf.numpy_function(function, [1.0], dtypes, result_shape=shapes)

    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        (tf.function(step) if compiled else step)()


def test_what_a_compiled_step_cannot_have_is_refused_with_advice() -> None:
    text = tf.function(lambda: tf.numpy_function(lambda v: b"a", [1.0], tf.string, result_shape=()))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Strings cannot be in a compiled step"):
        text()
    wrong = tf.function(lambda: tf.numpy_function(lambda v: np.ones(3, np.float32), [1.0], tf.float32, result_shape=()))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"returned the shape \(3,\), but result_shape is \(\)"):
        wrong()
    count = tf.function(lambda: tf.numpy_function(lambda v: v, [1.0], [tf.float32] * 2, result_shape=[()]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"result_shape has 1 shape\(s\), but Tout has 2"):
        count()
