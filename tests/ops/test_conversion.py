"""What becomes a tensor, of which dtype, with variables, PerReplica values and Python numbers in all places."""

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import ContextError, InvalidArgumentError
from stratagem._core.values import Separate, Variable


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "int8", "float16", "bool", "complex128"])
def test_numpy_keeps_its_dtype(dtype: str) -> None:
    array = np.array([0, 1], dtype=dtype)
    assert tf.constant(array).dtype == dtype
    assert tf.constant(array[0]).dtype == dtype
    assert tf.identity(array).dtype == dtype
    assert tf.stack([array, array]).dtype == dtype
    assert tf.expand_dims(array, 0).dtype == dtype


def test_big_integers_survive() -> None:
    assert int(tf.constant(2**40)) == 2**40
    assert int(tf.constant(2**40, tf.int64)) == 2**40
    assert int(tf.cast(2**40, tf.int64)) == 2**40
    assert int(tf.fill([1], np.int64(2**40))[0]) == 2**40
    assert int(tf.add(np.int64(2**40), 1)) == 2**40 + 1


def test_a_constant_is_a_copy() -> None:
    source = np.zeros(1024, np.float32)
    constant = tf.constant(source)
    source[:] = 1
    assert float(tf.reduce_sum(constant)) == 0


@pytest.mark.parametrize("make", [keras.Variable, Variable], ids=["keras", "ours"])
def test_variables_are_tensors(make: type) -> None:
    variable = make(3.0)
    assert tf.is_tensor(variable)
    assert float(tf.add(variable, 1)) == 4
    assert float(tf.multiply(2, variable)) == 6
    assert tf.stack([variable, 1]).tolist() == [3, 1]
    assert tf.cast(variable, tf.int32).dtype == tf.int32
    assert float(tf.reduce_sum([variable, variable])) == 6
    assert float(tf.convert_to_tensor(variable)) == 3
    assert float(tf.math.sqrt(variable)) == pytest.approx(3**0.5)


@pytest.mark.parametrize(
    "use",
    [
        lambda v: tf.add(v, 1.0),
        lambda v: tf.reduce_sum(v),
        lambda v: tf.constant(v),
        lambda v: tf.constant([v]),
        lambda v: tf.cast(v, tf.int32),
        lambda v: tf.nn.compute_average_loss(v, global_batch_size=2),
    ],
)
def test_a_per_replica_value_is_no_tensor(use: object) -> None:
    with pytest.raises(ContextError, match="one value per replica"):
        use(Separate([jnp.ones(2), jnp.ones(2)]))  # type: ignore[operator]


def test_python_numbers_take_the_dtype_of_the_tensor() -> None:
    wide, narrow = tf.constant([1.0], tf.float64), tf.constant([1.0], tf.bfloat16)
    assert tf.add(wide, 0.1).item() == 1.1
    assert tf.multiply(2, narrow).dtype == tf.bfloat16
    assert tf.maximum(wide, 0).dtype == tf.float64
    assert tf.where([True], wide, 0.0).dtype == tf.float64
    assert tf.clip_by_value(wide, 0, 1).dtype == tf.float64


@pytest.mark.parametrize("function", ["add", "multiply", "equal", "matmul", "maximum"])
def test_tensors_of_two_dtypes_are_refused(function: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"tf\.{function} takes tensors of one dtype.*float32 and float64"):
        getattr(tf, function)(tf.ones((1, 1)), tf.ones((1, 1), tf.float64))


def test_is_tensor() -> None:
    assert tf.is_tensor(tf.constant(1))
    assert not tf.is_tensor(1)
    assert not tf.is_tensor(np.ones(2))
    assert isinstance(tf.constant(1), tf.Tensor)
    assert tf.Tensor is jax.Array


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_no_64_bits_appear_in_a_narrow_program(dtype: str) -> None:
    def step(x: jax.Array) -> jax.Array:
        x = tf.nn.relu(x * 0.5 + tf.constant(1.0, dtype))
        x = tf.divide(x, 2.0) + tf.reduce_mean(x, axis=0, keepdims=True) - tf.math.log(tf.maximum(x, 1e-3))
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([0, 1]), x)
        return tf.nn.compute_average_loss(loss) + tf.cast(tf.shape(x)[0], dtype) + tf.cast(tf.size(x), dtype) / 2

    program = jax.make_jaxpr(step)(jnp.ones((2, 3), dtype))
    assert "f64" not in str(program)
    assert program.out_avals[0].dtype == dtype


def test_a_list_may_hold_tensors_of_strings() -> None:
    """As `tf.strings.split([text])`, which programs call with one text of a dataset."""
    text, pair = tf.constant("a b"), tf.constant(["c", "d"])
    assert tf.constant([text, text]).numpy().tolist() == [b"a b", b"a b"]
    assert tf.constant([[text, "x"], pair]).numpy().tolist() == [[b"a b", b"x"], [b"c", b"d"]]
    assert tf.strings.split([text]).to_list() == [[b"a", b"b"]]
    assert tf.strings.join([[text], [b"\x00"]]).numpy().tolist() == [b"a b\x00"]


def test_strings_are_added_to_texts_of_pythons_on_both_sides() -> None:
    words = tf.constant(["a", "b"])
    for joined in (words + "!", words + b"!", words + tf.constant("!")):
        assert joined.numpy().tolist() == [b"a!", b"b!"]
    assert ("<" + words + ">").numpy().tolist() == [b"<a>", b"<b>"]
    assert (tf.constant("x") + "y").numpy() == b"xy"
    with pytest.raises(TypeError, match=r"tf\.strings\.as_string"):
        words + 1
