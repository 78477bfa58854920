"""Operators of variables are those of tensors."""

import keras
import numpy as np
import pytest

import stratagem as tf


def test_a_variables_bits_are_those_of_its_tensor() -> None:
    for flags in (tf.Variable(6), keras.Variable(6, dtype="int32")):
        found = [flags & 4, 4 & flags, flags | 9, np.int32(9) | flags, flags ^ 5, tf.constant(5) ^ flags, flags & flags]
        assert [int(v) for v in found] == [4, 4, 15, 15, 3, 3, 6]
        assert {v.dtype for v in found} == {np.dtype("int32")}


def test_variables_of_flags_are_combined_as_flags() -> None:
    flag = tf.Variable([True, False])
    assert [(flag & True).numpy().tolist(), (flag ^ flag).numpy().tolist()] == [[True, False], [False, False]]
    with pytest.raises(TypeError):
        tf.Variable(1.0) & tf.Variable(1.0)
