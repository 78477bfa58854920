"""Arguments of functions of strings as arrays of the host, and string tensors of their results."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from stratagem._ops._convert import StringTensor, is_traced, need_value, on_host, sized_by_contents, tensor
from stratagem._ops.ragged import RaggedTensor, from_lengths

T = TypeVar("T")


def strings_of(input: Any) -> np.ndarray:
    """Returns the bytes objects in an array. Raises TypeError for a tensor of anything else, and ValueError for None."""
    array = np.asarray(on_host(input))
    if array.dtype != object and array.size:
        raise TypeError(
            f"A function of strings was given {input!r:.100}. `tf.strings.as_string` makes text of numbers."
        )
    return array if array.dtype == object else array.astype(object)


def numbers_of(name: str, value: Any) -> np.ndarray:
    """Returns the numbers that `tf.<name>` takes beside strings, which must be known: strings stay on the host."""
    array = tensor(value)
    if is_traced(array):
        need_value(f"tf.{name} of strings, which stay on the host, depends on it")
    return np.asarray(array)


def string_tensor(strings: Sequence[bytes], shape: Sequence[int]) -> StringTensor:
    """Returns a tensor of this shape with these strings, in the order of its entries."""
    flat = np.empty(len(strings), dtype=object)
    flat[:] = strings
    return flat.reshape(tuple(shape)).view(StringTensor)


def row_of_strings(strings: Sequence[bytes]) -> StringTensor:
    """Returns strings as a tensor of one dimension."""
    return string_tensor(strings, [len(strings)])


def each(function: Callable[[bytes], Any], input: Any) -> np.ndarray:
    """Returns what the function makes of all strings, as objects in an array of their shape."""
    array = strings_of(input)
    flat = np.empty(array.size, dtype=object)
    flat[:] = [function(text) for text in array.ravel().tolist()]
    return flat.reshape(array.shape)


def rows_of_each(input: Any, parts: Callable[[bytes], Sequence[T]], make: Callable[[list[T]], Any]) -> Any:
    """Returns the parts of each string as a row: a RaggedTensor with one dimension more, of one string a tensor.

    parts: the parts of one string. make: makes a tensor of all parts.
    """
    array = strings_of(input)
    found = [list(parts(text)) for text in array.ravel().tolist()]
    values = make(list(itertools.chain(*found)))
    if not array.ndim:
        return sized_by_contents(values, 0)
    rows = RaggedTensor(values, from_lengths(np.array([len(row) for row in found], np.int64)))
    for axis in range(array.ndim - 1, 0, -1):
        rows = RaggedTensor.from_uniform_row_length(rows, array.shape[axis], math.prod(array.shape[:axis]))
    return rows
