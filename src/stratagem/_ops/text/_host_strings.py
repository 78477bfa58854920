"""Arguments of functions of strings as arrays of the host, and string tensors of their results."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import TensorLike
from stratagem._ops._convert import StringTensor, is_traced, need_value, on_device, on_host, tensor


def strings_of(input: TensorLike) -> np.ndarray:
    """Returns the bytes objects in an array. Raises TypeError for a tensor of anything else, and ValueError for None."""
    array = np.asarray(on_host(input, "string"))
    if not all(isinstance(each, bytes) for each in array.ravel().tolist()):
        raise TypeError(
            f"A function of strings was given {input!r:.100}. `tf.strings.as_string` makes text of numbers."
        )
    return array


def numbers_of(name: str, value: TensorLike) -> np.ndarray:
    """Returns the numbers that `tf.<name>` takes beside strings, which must be known: strings stay on the host."""
    array = tensor(value)
    if is_traced(array):
        need_value(f"tf.{name} of strings, which stay on the host, depends on it")
    return np.asarray(array)


def string_tensor(strings: Sequence[bytes], shape: Sequence[int]) -> StringTensor:
    """Returns a tensor of this shape with these strings, in the order of its entries."""
    flat = np.empty(len(strings), dtype=object)
    flat[:] = strings
    return cast(StringTensor, on_device(flat.reshape(tuple(shape))))


def each(function: Callable[[bytes], Any], input: TensorLike) -> np.ndarray:
    """Returns what the function makes of all strings, as objects in an array of their shape."""
    array = strings_of(input)
    flat = np.empty(array.size, dtype=object)
    flat[:] = [function(text) for text in array.ravel().tolist()]
    return flat.reshape(array.shape)


def one_string(name: str, input: TensorLike) -> bytes:
    """Returns the only string of a scalar. Raises UnimplementedError for more: the results would be ragged."""
    array = strings_of(input)
    if array.ndim:
        raise UnimplementedError(
            f"tf.{name} of strings of shape {list(array.shape)} is a tf.RaggedTensor, which does not exist here. Give one "
            f"string, as in `dataset.map` before `batch`; `Dataset.padded_batch` fills up rows of different lengths."
        )
    return cast(bytes, array[()])
