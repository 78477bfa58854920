"""Splits of strings as TensorFlow 1 gives them: sparse tensors with a row for each string."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem import _ops as ops
from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.step import pure_host_function
from stratagem._ops import text
from stratagem._ops.sparse import SparseTensor
from stratagem._tf1.graph.functions.reductions import one_of

_SPARSE, _RAGGED = "SparseTensor", "RaggedTensor"


@exported(v1=["string_split"])
@pure_host_function
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = _SPARSE,
    name: str | None = None,
) -> SparseTensor:
    """Returns the parts of each string of a vector between the bytes of `sep`, by default spaces: a sparse matrix.

    sep: one string, each of whose bytes divides; the empty one divides everywhere. skip_empty: without parts of no bytes.
    delimiter: another name of `sep`. Raises InvalidArgumentError for anything but a vector and one string, ValueError for
    both names or another result_type, and UnimplementedError for a RaggedTensor.
    """
    divider = one_of(sep=sep, delimiter=delimiter)
    strings, divided = _strings(source), _strings(b" " if divider is None else divider)
    _check(result_type, "string_split")
    if strings.ndim != 1 or divided.ndim:
        raise InvalidArgumentError(
            f"tf.compat.v1.string_split takes a vector of strings and one string as sep, got shapes {list(strings.shape)} "
            f"and {list(divided.shape)}."
        )
    between = re.compile(b"[" + re.escape(divided.item()) + b"]") if divided.item() else None
    return _rows([_parts(string, between, skip_empty) for string in strings.tolist()], strings.shape)


def _parts(string: bytes, between: re.Pattern[bytes] | None, skip_empty: bool) -> list[bytes]:
    if between is None:
        return [string[i : i + 1] for i in range(len(string))]
    found = between.split(string) if string else []
    return [part for part in found if part] if skip_empty else found


@exported(v1=["strings.split"])
@pure_host_function
def split(
    input: Any = None,
    sep: str | bytes | None = None,
    maxsplit: int = -1,
    result_type: str = _SPARSE,
    source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """Returns the parts of each string between separators, as `tf.strings.split` does: a sparse tensor with one dimension more.

    One string is a vector of one. source: another name of `input`. Raises ValueError for both names or another result_type,
    and UnimplementedError for a RaggedTensor.
    """
    strings = np.atleast_1d(_strings(one_of(input=input, source=source)))
    _check(result_type, "strings.split")
    return _rows([text.split(string, sep, maxsplit).tolist() for string in strings.ravel().tolist()], strings.shape)


def _strings(value: Any) -> np.ndarray:
    array = np.asarray(ops.convert_to_tensor(value, "string"))
    if not all(isinstance(each, bytes) for each in array.ravel().tolist()):
        raise TypeError(f"A split of strings was given {value!r:.100}. `tf.strings.as_string` makes text of numbers.")
    return array


def _check(result_type: str, function: str) -> None:
    if result_type == _RAGGED:
        raise UnimplementedError(
            f"tf.compat.v1.{function} gives no RaggedTensor here. Use result_type={_SPARSE!r}, and tf.sparse.to_dense, "
            "which fills up the rows."
        )
    if result_type != _SPARSE:
        raise ValueError(f"result_type must be '{_RAGGED}' or '{_SPARSE}', got {result_type!r}.")


def _rows(parts: Sequence[Sequence[bytes]], shape: Sequence[int]) -> SparseTensor:
    """The parts of strings, which have this shape, as a sparse tensor of one dimension more."""
    places = [(*place, i) for place, row in zip(np.ndindex(*shape), parts, strict=True) for i in range(len(row))]
    indices = np.array(places, np.int64).reshape(len(places), len(shape) + 1)
    values = np.empty(len(places), object)
    values[:] = [part for row in parts for part in row]
    sizes = [*shape, max(map(len, parts), default=0)]
    whole = np.array([size if all(sizes[:axis]) else 0 for axis, size in enumerate(sizes)], np.int64)
    return SparseTensor(ops.constant(indices), ops.constant(values), ops.constant(whole))
