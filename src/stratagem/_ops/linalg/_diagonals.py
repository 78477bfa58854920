"""Diagonals and bands of matrices.

Several diagonals are the rows of a matrix, the highest first. Shorter ones are padded on one side: `align` says on which side
the others are, before its underscore for diagonals above the main one, after it for those below.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, operands, static_int, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


class _Band(NamedTuple):
    """The entries of some diagonals of matrices: where they are in a matrix, and where among the diagonals.

    shape: of the diagonals of one matrix, with a dimension for their number if there may be several.
    """

    shape: tuple[int, ...]
    rows: np.ndarray
    columns: np.ndarray
    places: tuple[np.ndarray, ...]


def _limits(k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal that `k`, a number or a pair, stands for."""
    numbers = static_shape(k)
    if len(numbers) not in (1, 2) or numbers[0] > numbers[-1]:
        raise InvalidArgumentError(f"k is one diagonal or a pair of the lowest and the highest, got {list(numbers)}.")
    return numbers[0], numbers[-1]


def _band(rows: int, columns: int, k: Any, align: str) -> _Band:
    """The diagonals `k` of matrices with so many rows and columns.

    Raises: InvalidArgumentError for diagonals outside of the matrix, and for an unknown `align`.
    """
    low, high = _limits(k)
    if align not in _ALIGNMENTS:
        raise InvalidArgumentError(f"align is one of {', '.join(_ALIGNMENTS)}; got {align!r}.")
    if any(d != 0 and not -rows < d < columns for d in (low, high)):
        raise InvalidArgumentError(f"A matrix of {rows} rows and {columns} columns has no diagonals {low} to {high}.")
    above, below = (side == "LEFT" for side in align.split("_"))
    longest = _length(rows, columns, low, high)
    number, position = np.indices((high - low + 1, longest))
    diagonal = high - number
    lengths = np.minimum(rows + np.minimum(diagonal, 0), columns - np.maximum(diagonal, 0))
    at_left = ((diagonal >= 0) & above) | ((diagonal <= 0) & below)
    entry = position - np.where(at_left, 0, longest - lengths)
    inside = (entry >= 0) & (entry < lengths)
    entry, diagonal = entry[inside], diagonal[inside]
    places = (number[inside], position[inside]) if low != high else (position[inside],)
    shape = (longest,) if low == high else (high - low + 1, longest)
    return _Band(shape, entry + np.maximum(-diagonal, 0), entry + np.maximum(diagonal, 0), places)


def _length(rows: int, columns: int, low: int, high: int) -> int:
    """The length of the longest of these diagonals."""
    return max(min(rows + min(high, 0), columns - max(low, 0)), 0)


def _written(array: Tensor, places: tuple[np.ndarray, ...], values: Tensor) -> Tensor:
    sizes = array.shape[-len(places) :]
    if array.size == 0 and jnp.issubdtype(array.dtype, np.inexact):
        return array + jnp.sum(values)  # JAX would return `array` itself, so that `values` had no gradient
    if np.array_equal(np.ravel_multi_index(places, sizes), np.arange(np.prod(sizes, dtype=int))):
        return values.reshape(array.shape)
    return array.at[(..., *places)].set(values, unique_indices=True, mode="promise_in_bounds")


def _read(array: Tensor, places: tuple[np.ndarray, ...]) -> Tensor:
    """The entries at these places of the last dimensions, as one dimension."""
    leading, sizes = array.shape[: -len(places)], array.shape[-len(places) :]
    total = int(np.prod(sizes, dtype=int))
    numbers = np.ravel_multi_index(places, sizes)
    flat = array.reshape(*leading, total)
    if np.array_equal(numbers, np.arange(total)):
        return flat
    # Not `flat[..., numbers]`: of nothing, that is a constant without a gradient.
    return jnp.take(flat, numbers, axis=-1, mode="clip", unique_indices=True)


@exported("linalg.diag", v1=["matrix_diag", "linalg.diag"])
def diag(
    diagonal: Any, name: str = "diag", k: Any = 0, num_rows: Any = -1, num_cols: Any = -1,
    padding_value: Any = 0, align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """Matrices with these diagonals, and `padding_value` elsewhere.

    diagonal: of shape [..., length], or [..., number, length] if `k` is a pair of different numbers. num_rows, num_cols: -1 for
    the smallest size; square matrices if both are. Raises InvalidArgumentError for sizes that do not fit.
    """
    array, (low, high) = tensor(diagonal), _limits(k)
    dimensions = 1 + (low != high)
    if array.ndim < dimensions:
        raise InvalidArgumentError(f"tf.linalg.diag takes {dimensions} dimensions or more, got {list(array.shape)}.")
    rows, columns = _matrix_sizes(array.shape[-1], low, high, num_rows, num_cols)
    band = _band(rows, columns, k, align)
    if array.shape[-dimensions:] != band.shape:
        raise InvalidArgumentError(
            f"tf.linalg.diag: diagonals {low} to {high} of a matrix of {rows} rows and {columns} columns have the shape "
            f"{list(band.shape)}, got {list(array.shape)}."
        )
    whole = jnp.full((*array.shape[:-dimensions], rows, columns), _padding(padding_value, array))
    return _written(whole, (band.rows, band.columns), _read(array, band.places))


def _matrix_sizes(length: int, low: int, high: int, num_rows: Any, num_cols: Any) -> tuple[int, int]:
    """The numbers of rows and columns of matrices whose longest diagonal has this length; -1 means the smallest."""
    given = (
        static_int(num_rows, "a tensor is the number of rows"),
        static_int(num_cols, "a tensor is a number of columns"),
    )
    least = length - min(high, 0), length + max(low, 0)
    if given == (-1, -1):
        return max(least), max(least)
    rows, columns = (smallest if size == -1 else size for size, smallest in zip(given, least, strict=True))
    if rows < least[0] or columns < least[1] or ((rows, columns) != least and rows != least[0] and columns != least[1]):
        raise InvalidArgumentError(
            f"tf.linalg.diag: diagonals {low} to {high} of length {length} need {least[0]} rows and {least[1]} columns, "
            f"or more of one of them; got num_rows={num_rows}, num_cols={num_cols}."
        )
    return rows, columns


def _padding(value: Any, like: Tensor) -> Tensor:
    return tensor(value).astype(like.dtype)


@exported("linalg.diag_part", v1=["matrix_diag_part", "linalg.diag_part"])
def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The diagonals `k` of matrices: of shape [..., length], or [..., number, length] for a pair of different numbers.

    Raises InvalidArgumentError for diagonals outside of the matrix.
    """
    array = _matrices("diag_part", input)
    band = _band(array.shape[-2], array.shape[-1], k, align)
    found = _read(array, (band.rows, band.columns))
    whole = jnp.full((*array.shape[:-2], *band.shape), _padding(padding_value, array))
    return _written(whole, band.places, found)


@exported("linalg.set_diag")
def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with other diagonals `k`, given as `diag_part` returns them.

    Raises InvalidArgumentError for another shape of the diagonals, and for diagonals outside of the matrix.
    """
    array, new = operands("linalg.set_diag", _matrices("set_diag", input), diagonal)
    band = _band(array.shape[-2], array.shape[-1], k, align)
    if new.shape != (*array.shape[:-2], *band.shape):
        raise InvalidArgumentError(
            f"tf.linalg.set_diag: diagonals {k} of {list(array.shape)} have the shape "
            f"{[*array.shape[:-2], *band.shape]}, got {list(new.shape)}."
        )
    return _written(array, (band.rows, band.columns), _read(new, band.places))


def _matrices(name: str, value: Any) -> Tensor:
    array = tensor(value)
    if array.ndim < 2:
        raise InvalidArgumentError(f"tf.linalg.{name} takes matrices, got the shape {list(array.shape)}.")
    return array


@exported("linalg.tensor_diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of shape [d1, ..., dk, d1, ..., dk] with zeros off the diagonal, for one of shape [d1, ..., dk].

    Raises InvalidArgumentError for a scalar.
    """
    array = tensor(diagonal)
    if array.ndim == 0:
        raise InvalidArgumentError("tf.linalg.tensor_diag takes a tensor with at least one dimension, got a scalar.")
    return diag(array.reshape(-1)).reshape(*array.shape, *array.shape)


@exported("linalg.tensor_diag_part")
def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor of shape [d1, ..., dk, d1, ..., dk], of shape [d1, ..., dk].

    Raises InvalidArgumentError for another shape.
    """
    array = tensor(input)
    half = array.shape[: array.ndim // 2]
    if array.ndim == 0 or array.shape != (*half, *half):
        raise InvalidArgumentError(
            f"tf.linalg.tensor_diag_part takes a tensor of shape [d1, ..., dk, d1, ..., dk], got {list(array.shape)}."
        )
    size = int(np.prod(half, dtype=int))
    return diag_part(array.reshape(size, size)).reshape(half)


@exported("linalg.trace", v1=["trace", "linalg.trace"])
def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of the last two dimensions."""
    array = tensor(x)
    return jnp.trace(array, axis1=-2, axis2=-1, dtype=array.dtype)


@exported("linalg.band_part", v1=["matrix_band_part", "linalg.band_part"])
def band_part(input: Any, num_lower: int, num_upper: int, name: str | None = None) -> Tensor:
    """Sets entries outside a band around the diagonal to zero; a negative number keeps that whole triangle."""
    array = tensor(input)
    rows, columns = np.indices(array.shape[-2:])
    kept = ((num_lower < 0) | (rows - columns <= num_lower)) & ((num_upper < 0) | (columns - rows <= num_upper))
    return jnp.where(kept, array, jnp.zeros_like(array))


accept_symbols(globals())
