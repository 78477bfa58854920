"""Messages of tensors have TensorFlow 2.15.1's bytes, and are read as it reads them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.ops.root_names.test_root_names import fits
from tests.ops.tensor_messages.expressions import EXPRESSIONS, answers

ANSWERS: dict[str, Any] = json.loads(Path(__file__).with_name("tensorflow_answers.json").read_text())
# What is more than TensorFlow has: it makes zeros of its integers, which it does not convert to floats of 8 bits.
MORE = [e for e in EXPRESSIONS if "tf.zeros" in e and "float8" in e]


def test_messages_are_written_and_read_as_by_tensorflow() -> None:
    assert list(ANSWERS) == EXPRESSIONS
    found = answers(tf)
    different = {e: (found[e], ANSWERS[e]) for e in EXPRESSIONS if not fits(found[e], ANSWERS[e])}
    assert list(different) == MORE


def test_a_message_is_what_parse_tensor_takes_and_serialize_tensor_gives() -> None:
    for value in (3, [1.5, 2.5], "a", ["a", "b"], [True, False], 2j):
        message = tf.make_tensor_proto(value)
        dtype = tf.as_dtype(message.dtype)
        parsed = tf.io.parse_tensor(message.SerializeToString(), dtype)
        assert np.array_equal(np.asarray(parsed), np.asarray(tf.constant(value, dtype)))
        written = type(message).FromString(tf.io.serialize_tensor(tf.constant(value, dtype)).numpy())
        assert np.array_equal(tf.make_ndarray(written), tf.make_ndarray(message))


def test_a_message_that_does_not_fit_its_shape_is_refused() -> None:
    message = tf.make_tensor_proto([1, 2, 3], shape=[2, 2])
    del message.tensor_shape.dim[1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"holds 3 values for the shape \[2\]"):
        tf.io.parse_tensor(message.SerializeToString(), tf.int32)


def test_a_message_can_be_read_by_a_person_and_its_number_is_a_dtype() -> None:
    message = tf.make_tensor_proto([1, 2])
    assert "dtype: DT_INT32" in str(message)
    assert message.dtype == tf.int32
    assert tf.int32.as_datatype_enum == 3
    with pytest.raises(TypeError, match="99"):
        tf.as_dtype(99)


def test_a_tensor_without_a_known_value_has_no_message() -> None:
    found = []

    @tf.function
    def step(x: Any) -> Any:
        found.append(tf.make_ndarray(tf.make_tensor_proto(x)).tolist())
        return x

    step(tf.constant([1.0, 2.0]))
    assert found[-1] == [1.0, 2.0]  # the function runs in Python, where the value is known


def test_numbers_of_4_and_8_bits_are_clipped_to_their_range_and_computed_in_functions() -> None:
    kinds = tf.dtypes.experimental
    assert tf.experimental.float8_e4m3fn is kinds.float8_e4m3fn
    assert tf.saturate_cast([1e9, -9.0], kinds.float8_e4m3fn).tolist() == [448.0, -9.0]
    assert np.array_equal(tf.saturate_cast([99.0, -99.0], kinds.int4), np.array([7, -8], kinds.int4.as_numpy_dtype))
    doubled = tf.function(lambda x: tf.cast(x, tf.float32) * 2)
    assert doubled(tf.constant([1.5], kinds.float8_e5m2)).tolist() == [3.0]


@pytest.mark.parametrize("name", ["qint8", "quint16", "dtypes.QUANTIZED_DTYPES", "dtypes.qint32", "compat.v1.quint8"])
def test_quantized_types_are_refused_with_what_to_use(name: str) -> None:
    with pytest.raises(AttributeError, match=r"use tf\.quantization\..* there are no quantized types"):
        eval(f"tf.{name}", {"tf": tf})
