"""Lists of Python's numbers and texts are told from those that hold a tensor, or what stands for one, at any depth."""

import enum
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf

# Private: tells such lists by types, for `tf.constant`, operators and functions of composite tensors.
from stratagem._ops._python_values import _DEEPEST, PYTHON_TYPES, is_of_python

PYTHON = st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=2), st.binary(max_size=2))
NESTS = st.recursive(
    PYTHON, lambda inner: st.one_of(st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple))
)


class Level(enum.IntEnum):
    """An integer of a class of its own."""

    LOW = 1


OTHERS = [np.float32(1), np.ones(2), jnp.ones(()), tf.Variable(1.0), None, Level.LOW, {"a": 1}, tf.constant("a")]


def entries(nest: Any) -> list[Any]:
    return [leaf for each in nest for leaf in entries(each)] if isinstance(nest, list | tuple) else [nest]


def depth_of(nest: Any) -> int:
    return 1 + max(map(depth_of, nest), default=0) if isinstance(nest, list | tuple) else 0


@given(st.lists(NESTS, max_size=4))
def test_a_list_of_pythons_values_is_one_in_lists_of_lists(nest: list[Any]) -> None:
    assert {*map(type, entries(nest))} <= PYTHON_TYPES
    assert is_of_python(nest) is (depth_of(nest) <= _DEEPEST)


@pytest.mark.parametrize("times", [1, 3])
def test_a_list_that_holds_itself_is_refused(times: int) -> None:
    endless: list[Any] = []
    endless += [endless] * times
    assert not is_of_python(endless)
    with pytest.raises((ValueError, RecursionError)):
        tf.constant(endless)


@pytest.mark.parametrize("other", OTHERS, ids=lambda v: type(v).__name__)
@given(nest=st.lists(NESTS, max_size=3), place=st.integers(0, 3), depth=st.integers(0, 3))
def test_one_other_value_anywhere_is_seen(other: Any, nest: list[Any], place: int, depth: int) -> None:
    for _ in range(depth):
        other = [1.0, other]
    assert not is_of_python([*nest[:place], other, *nest[place:]])


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ([1, 2], np.int32),
        ([1, 2**40], np.int64),
        ([1, 2.5], np.float32),
        ([True], np.bool_),
        ([[1.0], [2.0]], np.float32),
        ([np.float64(1), 2], np.float64),
        ([1j], np.complex128),
        ([], np.float32),
        (["a", b"b"], object),
        ([["a"], ["b"]], object),
    ],
    ids=str,
)
def test_a_list_becomes_a_tensor_of_tensorflows_type(value: Any, wanted: Any) -> None:
    assert tf.constant(value).dtype == wanted
    assert tf.convert_to_tensor(value).dtype == wanted


@pytest.mark.parametrize(
    "value", [["a", 1], [1, "a"], [["a"], ["b", "c"]], [[1], [2, 3]], ["a", None], [1.0, None]], ids=str
)
def test_a_list_that_is_no_tensor_is_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        tf.constant(value)
