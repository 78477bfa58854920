"""The makers of ragged tensors: from rows in their several forms, from dense and from sparse tensors."""

import functools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike
from stratagem._core.values import CompositeTensor
from stratagem._ops._convert import StringTensor, static_int, tensor
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._row_splits import RowSplits, integers, known
from stratagem._ops.sparse import SparseTensor

_NROWS = "a tensor is the number of rows of a RaggedTensor"


class RaggedMakers(CompositeTensor):
    """The base of RaggedTensor, with the functions that make one."""

    __slots__ = ("_keras_mask", "_spare", "_splits", "_splits_tensor", "_stored", "_uniform")

    _keras_mask: Any  # what a layer of Keras has said of the values
    _spare: bool
    _splits: RowSplits
    _splits_tensor: Any
    _stored: Any
    _uniform: int | None

    def __init__(
        self,
        values: Any,
        row_splits: RowSplits,
        uniform_row_length: int | None = None,
        spare: bool = False,
    ) -> None:
        """spare: whether there may be values after those of the last row, which belong to none. Only functions that take
        `_stored` see them; they need no program of its own for each number of values."""
        self._stored, self._splits, self._uniform, self._spare = values, row_splits, uniform_row_length, spare
        self._splits_tensor = None

    @property
    def _values(self) -> Any:
        """The values of the rows. In a step their number is one that the host computes before, if there may be spare ones."""
        return self._stored[: row_splits_.used(self._splits)] if self._spare else self._stored

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Self:
        """Returns the tensor whose row i is `values[row_splits[i]:row_splits[i + 1]]`.

        Raises ValueError for splits that are no row of integers, and InvalidArgumentError for what are no splits of the values,
        unless `validate` is False.
        """
        return cls._made(values, integers("row_splits", row_splits), validate)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> Self:
        """Returns the tensor whose rows have these lengths. Raises as `from_row_splits` does."""
        return cls._made(values, row_splits_.from_lengths(integers("row_lengths", row_lengths)), validate)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Self:
        """Returns the tensor whose rows begin at these values. Raises as `from_row_splits` does."""
        starts, found = integers("row_starts", row_starts), converted(values)
        end = np.full(1 if len(starts) or not count(found) else 0, count(found), starts.dtype)
        return cls._made(found, row_splits_.joined(starts, end), validate)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> Self:
        """Returns the tensor whose rows end before these values. Raises as `from_row_splits` does."""
        limits = integers("row_limits", row_limits)
        return cls._made(values, row_splits_.joined(np.zeros(1, limits.dtype), limits), validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Returns the tensor that has each value in the row of this number; numbers do not decrease.

        nrows: the number of rows; without it, the last number and one. Raises as `from_row_splits` does.
        """
        rowids = integers("value_rowids", value_rowids)
        if nrows is None:
            ids = known(rowids, "the number of rows")
            rows = int(ids[-1]) + 1 if len(ids) else 0
        else:
            rows = static_int(nrows, _NROWS)
        if rows < 0:
            raise ValueError(f"A RaggedTensor has no {rows} rows.")
        if validate and isinstance(rowids, np.ndarray):
            wrong = (np.diff(rowids) < 0).any() or (rowids < 0).any() or (rowids >= rows).any()
            if wrong or len(rowids) != count(converted(values)):
                raise InvalidArgumentError(
                    f"value_rowids are a number from 0 to {rows - 1} for each value, in order, got {rowids.tolist()!s:.200}."
                )
        return cls._made(values, row_splits_.from_rowids(rowids, rows), validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Self:
        """Returns the tensor whose rows all have one length. nrows: how many there are, needed if the length is 0.

        Raises ValueError for a negative length, InvalidArgumentError if the values do not make up such rows.
        """
        length = static_int(uniform_row_length, "a tensor is the length of rows")
        found = converted(values)
        if length < 0:
            raise ValueError(f"Rows have no length of {length}.")
        nvals = count(found)
        rows = nvals // max(length, 1) if nrows is None else static_int(nrows, _NROWS)
        rows = rows if length or nrows is not None else 0
        if rows * length != nvals:
            raise InvalidArgumentError(f"{nvals} values are not {rows} rows of length {length}.")
        dtype = found._splits.dtype if isinstance(found, RaggedMakers) else np.int64
        return cls(found, row_splits_.uniform(length, rows, dtype), length)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Returns the tensor with several ragged dimensions, given the splits of each, the outermost first."""
        return cls._nested(functools.partial(cls.from_row_splits, validate=validate), flat_values, nested_row_splits)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Returns the tensor with several ragged dimensions, given the lengths of each, the outermost first."""
        return cls._nested(functools.partial(cls.from_row_lengths, validate=validate), flat_values, nested_row_lengths)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Returns the tensor with several ragged dimensions, given the rows of the values of each, the outermost first."""
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(nested_value_rowids):
            raise ValueError("nested_nrows and nested_value_rowids have one entry for each ragged dimension.")
        found: Any = flat_values
        for rowids, rows in reversed(list(zip(nested_value_rowids, counts, strict=True))):
            found = cls.from_value_rowids(found, rowids, rows, validate=validate)
        return converted(found)

    @classmethod
    def _nested(cls, make: Any, values: Any, parts: Any) -> Self:
        if not isinstance(parts, list | tuple):
            raise TypeError(f"A list with the rows of each ragged dimension is needed, got {parts!r:.100}.")
        return functools.reduce(make, reversed(parts), values)

    @classmethod
    def _made(cls, values: Any, splits: RowSplits, validate: bool) -> Self:
        found = converted(values)
        if isinstance(found, RaggedMakers) and found._splits.dtype != splits.dtype:
            raise ValueError(
                f"Row splits of one RaggedTensor have one dtype, got {splits.dtype} and {found._splits.dtype}. Use "
                "`with_row_splits_dtype`."
            )
        if not isinstance(found, RaggedMakers) and not found.ndim:
            raise ValueError("The values of a RaggedTensor have at least one dimension, got a scalar.")
        if validate:
            row_splits_.check(splits, count(found))
        return cls(found, splits)

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = np.int64,
    ) -> Self:
        """Returns the rows of a dense tensor: whole, or the first `lengths` of each, or each without the `padding` at its end.

        lengths: of the rows of dimension 1, or a list of those of several ragged dimensions. ragged_rank: how many dimensions
        after the first are ragged. Raises ValueError for a scalar or a row, for a `ragged_rank` that the tensor
        has not, and for `lengths` and `padding` at once.
        """
        array, kind = _tensor(tensor), row_splits_.splits_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("RaggedTensor.from_tensor takes lengths or padding, not both.")
        if isinstance(lengths, list | tuple) and len(lengths) and isinstance(lengths[0], list | tuple | np.ndarray):
            if ragged_rank not in (1, len(lengths)):
                raise ValueError(
                    f"RaggedTensor.from_tensor: lengths of {len(lengths)} dimensions, ragged_rank {ragged_rank}."
                )
            return cls._cut(array, [integers("lengths", part, kind) for part in lengths], kind)
        if not 0 < ragged_rank < max(array.ndim, 1):
            raise ValueError(f"A tensor of shape {list(array.shape)} has no ragged_rank {ragged_rank}.")
        if ragged_rank > 1:
            merged = array.reshape((array.shape[0] * array.shape[1], *array.shape[2:]))
            inner = cls.from_tensor(merged, None, padding, ragged_rank - 1, row_splits_dtype=kind)
            if lengths is None:
                return cls(inner, row_splits_.uniform(array.shape[1], array.shape[0], kind), array.shape[1])
            raise ValueError(f"RaggedTensor.from_tensor: lengths of one dimension, ragged_rank {ragged_rank}.")
        if padding is not None:
            lengths = _without_end(array, padding)
        if lengths is None:
            merged = array.reshape((array.shape[0] * array.shape[1], *array.shape[2:]))
            return cls(merged, row_splits_.uniform(array.shape[1], array.shape[0], kind), array.shape[1])
        return cls._cut(array, [integers("lengths", lengths, kind)], kind)

    @classmethod
    def _cut(cls, array: Any, lengths: list[RowSplits], kind: np.dtype) -> Self:
        """The rows of dimension 1 with the first of these lengths, of dimension 2 with the second, and so on."""
        first = np.clip(known(lengths[0], "RaggedTensor.from_tensor with lengths"), 0, array.shape[1])
        if len(first) != len(array):
            raise InvalidArgumentError(f"{len(first)} lengths are not those of {len(array)} rows.")
        merged = array.reshape((array.shape[0] * array.shape[1], *array.shape[2:]))
        places = np.repeat(np.arange(len(first)) * array.shape[1], first) + row_splits_.within(first)
        values = merged[places]
        splits = row_splits_.from_lengths(np.asarray(first, kind))
        return cls(cls._cut(values, lengths[1:], kind) if lengths[1:] else values, splits)

    @classmethod
    def from_sparse(
        cls, st_input: SparseTensor, name: str | None = None, row_splits_dtype: DTypeLike = np.int64
    ) -> Self:
        """Returns the entries of a sparse matrix as rows, which have entries at their beginnings alone.

        Raises TypeError for what is no SparseTensor, ValueError for another rank than 2, and InvalidArgumentError for entries
        that are not at the beginnings of rows, or out of order.
        """
        if not isinstance(st_input, SparseTensor):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        shape = known(st_input.dense_shape, "RaggedTensor.from_sparse")
        if len(shape) != 2:
            raise ValueError(f"RaggedTensor.from_sparse takes a sparse tensor of rank 2, got {len(shape)}.")
        indices = known(st_input.indices, "RaggedTensor.from_sparse")
        rows, places = indices[:, 0], indices[:, 1]
        splits = row_splits_.from_rowids(rows.astype(row_splits_.splits_dtype(row_splits_dtype)), int(shape[0]))
        if (np.diff(rows) < 0).any() or not np.array_equal(places, row_splits_.columns(np.asarray(splits))):
            raise InvalidArgumentError(
                "RaggedTensor.from_sparse: SparseTensor is not right-ragged: its rows have entries after empty places."
            )
        return cls(st_input.values, splits)


# The parameter `tensor` of `from_tensor`, TensorFlow's name, hides the function.
_tensor = tensor


def converted(values: Any) -> Any:
    """Returns the values of rows as a tensor, a RaggedTensor as it is. What is in the host's memory stays there."""
    if isinstance(values, RaggedMakers) or (isinstance(values, np.ndarray) and values.dtype.kind not in "OSU"):
        return values
    return values if isinstance(values, StringTensor) else tensor(values)


def count(values: Any) -> int:
    """Returns the number of values: the size of the first dimension."""
    return values._nrows() if isinstance(values, RaggedMakers) else int(values.shape[0])  # type: ignore[attr-defined]


def _without_end(array: Any, padding: Any) -> np.ndarray:
    """The lengths of the rows without the padding at their ends."""
    found = known(array, "RaggedTensor.from_tensor with padding")
    given = tensor(padding, array.dtype)
    if given.shape != array.shape[2:]:
        raise ValueError(f"The padding of values of shape {list(array.shape[2:])} has shape {list(given.shape)}.")
    differs = np.asarray(found != np.asarray(given), bool)
    is_value = differs.any(axis=tuple(range(2, differs.ndim)))
    return np.where(is_value, np.arange(1, array.shape[1] + 1), 0).max(axis=1, initial=0).astype(np.int64)
