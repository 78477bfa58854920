"""Calls of functions of the host as plain values: they come back as they were, and nothing else than calls can be written."""

import json
import operator
import os
from collections import OrderedDict
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem._core.step import HostCall, HostValue
from stratagem._host_calls import (
    ArgumentReader,
    ArgumentWriter,
    function_at,
    place_of,
    read_array,
    whole_number,
    written_array,
)

NAMES = st.builds(HostValue, st.integers(-2, 5), st.integers(0, 5))
ARRAYS = st.one_of(
    st.lists(st.integers(-(2**40), 2**40), max_size=100).map(np.array),
    st.lists(st.floats(width=32), max_size=100).map(lambda found: np.array(found, "float32")),
    st.lists(st.binary(max_size=4), max_size=100).map(lambda found: np.array([*found, None], object)[:-1]),
)
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.binary(max_size=5)
)
OBJECTS = st.sampled_from(
    [
        *(tf.float32, tf.string, tf.bfloat16, Ellipsis, slice(None, 3, -1)),
        tf.io.FixedLenFeature([2], tf.int64, [3, 4]),
        tf.io.VarLenFeature(tf.string),
        tf.io.RaggedFeature(tf.int64, "a", [tf.io.RaggedFeature.RowSplits("b")]),
        tf.TensorShape([2, 3]),
        tf.TensorShape(None),
    ]
)
VALUES = st.recursive(
    st.one_of(NAMES, ARRAYS, PLAIN, OBJECTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.dictionaries(st.text(max_size=3), inner, max_size=3).map(OrderedDict),
    ),
    max_leaves=8,
)


def function(*args: Any, **kwargs: Any) -> None:
    """A function of the user's."""


def call_with(*args: Any, **kwargs: Any) -> HostCall:
    leaves, structure = jax.tree.flatten((args, kwargs))
    return HostCall(function, tuple(leaves), structure, own=False)


def read_again(call: HostCall) -> HostCall:
    """A call that was written as JSON, and read."""
    attached: list[np.ndarray] = []
    writer = ArgumentWriter(lambda array: attached.append(array) or len(attached) - 1)
    text = json.dumps(writer.arguments(call))
    return ArgumentReader(lambda number: read_array(**json.loads(json.dumps(written_array(attached[number]))))).call(
        function, json.loads(text)
    )


def same(one: Any, other: Any) -> bool:
    """Equal arrays of one dtype, or equal values."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("dtype", ["U3", "S3", object, ">i4", "<f8", "bool", "bfloat16"], ids=str)
def test_arrays_come_back_as_tensors_have_them(dtype: Any) -> None:
    texts = dtype in ("U3", "S3", object)
    array = np.array(["abc", "d"] if texts else [1, 0], dtype)
    found = read_array(**json.loads(json.dumps(written_array(array))))
    assert found.tolist() == ([b"abc", b"d"] if texts else array.tolist())
    assert found.dtype == (object if texts else array.dtype.newbyteorder("="))


@given(st.lists(VALUES, max_size=3), st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, max_size=2))
def test_arguments_come_back_as_they_were(args: list[Any], kwargs: dict[str, Any]) -> None:
    call = call_with(*args, **kwargs)
    found = read_again(call)
    assert found.structure == call.structure
    assert all(map(same, call.leaves, found.leaves))
    assert found.named == call.named


def test_a_composite_tensor_of_names_comes_back_with_its_layout() -> None:
    ragged = tf.RaggedTensor.from_row_lengths(tf.ragged.constant([[1], [2, 3]]), [2])
    sparse = tf.sparse.SparseTensor([[0, 1]], [b"a"], [2, 3])
    leaves, structure = jax.tree.flatten(((ragged, [sparse]), {}))
    named = tuple(HostValue(0, i) for i in range(len(leaves)))
    found = read_again(HostCall(function, named, structure, own=False))
    assert (found.leaves, found.structure) == (named, structure)
    (again, _), _ = jax.tree.unflatten(found.structure, leaves)
    assert again.to_list() == [[[1], [2, 3]]]


@pytest.mark.parametrize(
    "value", [object(), function, 1j, {1, 2}, tf.keras.layers.Dense(1)], ids=lambda v: type(v).__name__
)
def test_a_value_that_has_no_such_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="which a SavedModel cannot hold"):
        read_again(call_with(value))


@pytest.mark.parametrize(
    "found",
    [
        {"function": "os:system"},
        {"value": [True, 0]},
        {"value": ["0", 0]},
        {"array": {"shape": [2], "dtype": "float32", "entries": "AAAA"}},
        {"array": {"shape": [1], "dtype": "object", "entries": "AAAA"}},
        {"bytes": "not base64!"},
        {"float": "0x1p99999"},
        {"partition": ["__class__", "a"]},
        {"rows": ["int64"]},
        {"two": 1, "kinds": 2},
    ],
    ids=str,
)
def test_what_is_never_written_is_not_read(found: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        ArgumentReader(np.asarray).value(found)


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_a_number_of_a_value_is_a_whole_number(value: Any) -> None:
    with pytest.raises(TypeError, match="is no number of a value"):
        whole_number(value)


@pytest.mark.parametrize("known", [tf.strings.lower, tf.io.decode_csv, operator.getitem, tf.RaggedTensor.to_tensor])
def test_a_function_of_the_library_is_known_by_its_place(known: Any) -> None:
    place = place_of(known)
    assert place is not None
    assert function_at(place) is known


def test_no_other_function_has_a_place() -> None:
    assert [place_of(each) for each in (function, os.system, len, "".join, lambda: 1)] == [None] * 5
    for place in (
        *("os:system", "stratagem.version:nothing", "subprocess:run", "_operator", "_operatorx:add", "stratagem.no:f"),
        *(
            "stratagem._saved_models._save:os.system",
            "stratagem._host_calls._library_functions:importlib.import_module",
        ),
    ):
        with pytest.raises(ValueError, match="is no function of the library"):
            function_at(place)
