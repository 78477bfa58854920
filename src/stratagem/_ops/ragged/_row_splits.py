"""Row splits: for n rows n + 1 places, between which the values of each row are. Also their other forms, as row lengths.

A trace may know none of them but their number; so functions of this file take and return NumPy arrays where values are known,
and tensors where they are not.
"""

import math
from typing import Any, overload

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike
from stratagem._core.step import host_function
from stratagem._ops._convert import allow_x64, is_tensor, is_traced, need_value, on_host, static_int, tensor
from stratagem._ops._dtypes import as_dtype

RowSplits = np.ndarray | jax.Array


def integers(name: str, numbers: Any, dtype: DTypeLike | None = None) -> RowSplits:
    """Returns row splits, or another form of them, as int64, or as the int32 that a tensor or NumPy array has. 1-D.

    dtype: int32 or int64, whatever the numbers have. Raises ValueError for other dtypes and shapes.
    """
    if is_tensor(numbers):
        found: RowSplits = tensor(numbers)
        found = found if is_traced(found) else np.asarray(found)
    else:
        found = on_host(numbers) if isinstance(numbers, np.ndarray | np.generic) else _from_python(numbers)
    if found.dtype not in (np.int32, np.int64) or found.ndim != 1:
        raise ValueError(
            f"{name} of a RaggedTensor are int32 or int64 in one row, got {found.dtype} of shape {list(found.shape)}."
        )
    return found if dtype is None else found.astype(splits_dtype(dtype))


def _from_python(numbers: Any) -> np.ndarray:
    found = on_host([] if numbers is None else numbers)
    return found.astype(np.int64) if found.dtype == np.int32 or not found.size else found


def splits_dtype(dtype: DTypeLike) -> np.dtype:
    """Returns the NumPy dtype for row splits. Raises ValueError for others than int32 and int64."""
    found = as_dtype(dtype).dtype
    if found not in (np.int32, np.int64):
        raise ValueError(f"Row splits are int32 or int64, got {found}.")
    return found


def known(splits: RowSplits, what: str) -> np.ndarray:
    """Returns row splits as a NumPy array. what: what depends on them, for the message if a trace does not know them."""
    if is_traced(splits):
        need_value(f"{what} depends on the row lengths of a RaggedTensor")
    return np.asarray(splits)


def _place(splits: RowSplits) -> RowSplits:
    """The splits in NumPy, if they are known."""
    return splits if is_traced(splits) else np.asarray(splits)


@overload
def from_lengths(lengths: np.ndarray) -> np.ndarray: ...
@overload
def from_lengths(lengths: RowSplits) -> RowSplits: ...
def from_lengths(lengths: RowSplits) -> RowSplits:
    """Returns the splits of rows with these lengths."""
    if isinstance(lengths, np.ndarray):
        return np.concatenate([np.zeros(1, lengths.dtype), np.cumsum(lengths, dtype=lengths.dtype)])
    with allow_x64(lengths.dtype):
        return jnp.concatenate([jnp.zeros(1, lengths.dtype), jnp.cumsum(lengths, dtype=lengths.dtype)])


def from_rowids(rowids: RowSplits, nrows: int) -> RowSplits:
    """Returns the splits of `nrows` rows, given the row of each value."""
    if isinstance(rowids, np.ndarray):
        return from_lengths(np.bincount(rowids, minlength=nrows).astype(rowids.dtype))
    with allow_x64(rowids.dtype):
        return from_lengths(jnp.zeros(nrows, rowids.dtype).at[rowids].add(1))


def joined(*parts: RowSplits) -> RowSplits:
    """Returns several numbers as one array."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    dtype = next(part.dtype for part in parts if not isinstance(part, np.ndarray))
    return jnp.concatenate([jnp.asarray(part, dtype) for part in parts])


@overload
def lengths(splits: np.ndarray) -> np.ndarray: ...
@overload
def lengths(splits: RowSplits) -> RowSplits: ...
def lengths(splits: RowSplits) -> RowSplits:
    """Returns how many values each row has."""
    found = _place(splits)
    return found[1:] - found[:-1]


def longest(splits: RowSplits, *, rounded: bool = False) -> int:
    """Returns the length of the longest row: a size that the host computes before a step, if it knows the splits there.

    rounded: up, by less than a quarter and to 1 at least, so that rows of many lengths have few programs.
    """
    found = _longest(splits, rounded)
    return static_int(found, "the longest row of a RaggedTensor is the size of a dimension")


@host_function
def _longest(splits: RowSplits, rounded: bool) -> np.ndarray:
    found = int(lengths(known(splits, "the longest row")).max(initial=0))
    return np.asarray(rounded_up(found) if rounded else found)


def used(splits: RowSplits) -> int:
    """Returns the number of values in all rows: a size that the host computes before a step, if it knows the splits there."""
    return static_int(_used(splits), "the number of values of a RaggedTensor is the size of a dimension")


@host_function
def _used(splits: RowSplits) -> np.ndarray:
    return np.asarray(known(splits, "the number of values")[-1])


def rounded_up(count: int) -> int:
    """Returns the next of four numbers between each power of two and the next; 1 for 0."""
    unit = 1 << max(count.bit_length() - 3, 0)
    return max(-(-count // unit) * unit, 1)


def rowids(splits: RowSplits, nvals: int) -> RowSplits:
    """Returns the row of each of the `nvals` values."""
    found = _place(splits)
    if isinstance(found, np.ndarray):
        return np.repeat(np.arange(len(found) - 1, dtype=found.dtype), lengths(found))
    with allow_x64(found.dtype):
        places = jnp.arange(nvals, dtype=found.dtype)
        return (jnp.searchsorted(found, places, side="right") - 1).astype(found.dtype)


def columns(splits: np.ndarray) -> np.ndarray:
    """Returns for each value its place in its row."""
    return within(lengths(splits))


def within(counts: np.ndarray) -> np.ndarray:
    """Returns 0, 1, ... count - 1 for each count, one after the other."""
    total = int(counts.sum())
    starts = np.cumsum(counts) - counts
    return np.arange(total, dtype=np.int64) - np.repeat(starts, counts)


def uniform(length: int, nrows: int, dtype: DTypeLike = np.int64) -> np.ndarray:
    """Returns the splits of `nrows` rows of one length."""
    return np.arange(nrows + 1, dtype=splits_dtype(dtype)) * splits_dtype(dtype).type(length)


def check(splits: RowSplits, nvals: int) -> None:
    """Raises InvalidArgumentError unless these split `nvals` values into rows, as far as that is known."""
    if not len(splits):
        raise ValueError("Row splits are one more than the rows, got none.")
    if is_traced(splits):
        return
    found = np.asarray(splits)
    if found[0] != 0 or (np.diff(found) < 0).any():
        raise InvalidArgumentError(f"Row splits begin with 0 and do not decrease, got {found.tolist()!s:.200}.")
    if found[-1] != nvals:
        raise InvalidArgumentError(f"The last row ends at value {found[-1]}, but there are {nvals} values.")


def same(first: RowSplits, second: RowSplits) -> bool:
    """Returns whether two row splits are equal; of splits that a trace does not know, whether they may be."""
    if first is second:
        return True
    if first.shape != second.shape:
        return False
    return is_traced([first, second]) or bool(np.array_equal(np.asarray(first), np.asarray(second)))


def whole(shape: tuple[int, ...]) -> int:
    """Returns the number of entries of a shape."""
    return math.prod(shape)


def nrows(splits: RowSplits) -> int:
    """Returns the number of rows."""
    return int(splits.shape[0]) - 1
