"""Element-by-element functions of ragged tensors: what is broadcast to which rows."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._ops._convert import is_tensor, is_traced, on_host, tensor
from stratagem._ops.ragged import _row_splits as row_splits_
from stratagem._ops.ragged._makers import count
from stratagem._ops.ragged._padding import merged_dims, taken
from stratagem._ops.ragged._ragged_tensor import RaggedTensor

_SCALARS = bool | int | float | complex | str | bytes | None


def applied(function: UserFunction, *operands: Any) -> RaggedTensor:
    """Returns what a function of tensors makes of the values of ragged tensors and of tensors, broadcast to one shape.

    Rows of one length match, or those of one are single and repeated. Raises InvalidArgumentError for rows that do not match.
    """
    operands = tuple(_operand(x) for x in operands)
    found = next(x for x in operands if isinstance(x, RaggedTensor))
    inner = len(found.shape) - found.ragged_rank - 1
    if all(_fits(x, found, inner) for x in operands):
        alike = len({(x._spare, count(x._stored)) for x in operands if isinstance(x, RaggedTensor)}) == 1
        flat = RaggedTensor._stored_flat if alike else operator.attrgetter("flat_values")
        return found.with_flat_values(function(*(flat(x) if isinstance(x, RaggedTensor) else x for x in operands)))
    if is_traced(found._splits) and found.ragged_rank == 1:
        spread = [_to_values(x, found) for x in operands]
        if all(_fits(x, found, inner) for x in spread):
            return applied(function, *spread)
    return _broadcast(function, operands)


def _operand(x: Any) -> Any:
    if isinstance(x, RaggedTensor | _SCALARS):
        return x
    return tensor(x) if is_tensor(x) else on_host(x)


def _fits(x: Any, ragged: RaggedTensor, inner: int) -> bool:
    """Returns whether an operand has the rows of a ragged tensor, or is broadcast to each of its values."""
    if not isinstance(x, RaggedTensor):
        return isinstance(x, _SCALARS) or x.ndim <= inner
    mine, others = x._levels(), ragged._levels()
    same = len(mine) == len(others) and len(x.shape) == len(ragged.shape)
    return same and all(row_splits_.same(a._splits, b._splits) for a, b in zip(mine, others, strict=True))


def _to_values(x: Any, ragged: RaggedTensor) -> Any:
    """A tensor with one column, repeated for each value of the rows."""
    if isinstance(x, RaggedTensor | _SCALARS) or x.ndim != len(ragged.shape) or x.shape[:2] != (ragged._nrows(), 1):
        return x
    return ragged.with_values(taken(x[:, 0], ragged._rowids()))


def _rank(x: Any) -> int:
    return len(x.shape) if isinstance(x, RaggedTensor) else np.ndim(x)


def _broadcast(function: UserFunction, operands: Sequence[Any]) -> RaggedTensor:
    arrays = [x for x in operands if not isinstance(x, _SCALARS)]
    rank = max(map(_rank, arrays))
    levels = max(rank - _rank(x) + x.ragged_rank for x in arrays if isinstance(x, RaggedTensor))
    splits, places = _rows_together([_rows(x, rank, levels) for x in arrays])
    flats = iter([taken(_flat(x, rank, levels), at) for x, at in zip(arrays, places, strict=True)])
    found = function(*(x if isinstance(x, _SCALARS) else next(flats) for x in operands))
    return RaggedTensor.from_nested_row_splits(found, splits, validate=False)


# The row splits of one dimension, and whether its rows have a single value by their type, which is repeated as is needed.
_Rows = tuple[np.ndarray, bool]


def _rows_together(operands: Sequence[list[_Rows]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The row splits that all operands are broadcast to, and for each operand the places of values, in their order.

    operands: the rows of each operand, the outermost dimension first, as many of each.
    """
    counts = [np.array([len(rows[0][0]) - 1]) for rows in operands]
    total = _one_size(counts, [bool(count == 1) for count in counts])[0]
    places = [np.arange(total) * int(count[0] != 1) for count in counts]
    result = []
    for level in range(len(operands[0])):
        here = [rows[level] for rows in operands]
        own = [row_splits_.lengths(splits)[at] for (splits, _), at in zip(here, places, strict=True)]
        lengths = _one_size(own, [single for _, single in here])
        row, column = np.repeat(np.arange(len(lengths)), lengths), row_splits_.within(lengths)
        starts = [splits[:-1][at] for (splits, _), at in zip(here, places, strict=True)]
        places = [s[row] + (0 if single else column) for s, (_, single) in zip(starts, here, strict=True)]
        result.append(row_splits_.from_lengths(lengths.astype(here[0][0].dtype)))
    return result, places


def _one_size(sizes: Sequence[np.ndarray], singles: Sequence[bool]) -> np.ndarray:
    several = [own for own, single in zip(sizes, singles, strict=True) if not single]
    if not all(np.array_equal(own, several[0]) for own in several):
        raise InvalidArgumentError(
            f"Ragged tensors do not broadcast: rows have the lengths {[own.tolist() for own in sizes]!s:.200}."
        )
    return several[0] if several else sizes[0]


def _rows(x: Any, rank: int, levels: int) -> list[_Rows]:
    """The rows of an operand in which the dimensions up to `levels` are rows, after as many of size 1 as are lacking."""
    lacking, found = rank - _rank(x), []
    if isinstance(x, RaggedTensor):
        splits = x._known_splits("how ragged tensors are broadcast")
        rows, sizes = x._nrows(), list(x.flat_values.shape)
        found = [(s, each._uniform == 1) for s, each in zip(splits, x._levels(), strict=True)]
    else:
        rows, sizes = (int(x.shape[0]), list(x.shape)) if x.ndim else (1, [1])
    outer = [*[1] * (lacking - 1), *([rows] if _rank(x) else [])] if lacking else []
    found = [(np.array([0, n]), n == 1) for n in outer] + found
    count = int(found[-1][0][-1]) if found else rows
    for size in map(int, sizes[1:]):
        found.append((row_splits_.uniform(size, count), size == 1))
        count *= size
    return found[:levels]


def _flat(x: Any, rank: int, levels: int) -> Any:
    """The values of an operand in which the dimensions up to `levels` are rows."""
    own = max(levels - (rank - _rank(x)), 0)
    if isinstance(x, RaggedTensor):
        return merged_dims(x.flat_values, 0, own - x.ragged_rank)
    return merged_dims(x, 0, own) if x.ndim else x.reshape((1,))


@exported("ragged.map_flat_values")
def map_flat_values(op: UserFunction, *args: Any, **kwargs: Any) -> Any:
    """Returns what `op` makes of the flat values of all ragged tensors among its arguments, also in lists, in their rows.

    Raises ValueError for ragged tensors of different rows, and for a result of another number of values. Without ragged
    tensors it is `op(*args, **kwargs)`.
    """
    given: list[RaggedTensor] = []

    def flat(value: Any) -> Any:
        if isinstance(value, RaggedTensor):
            given.append(value)
            return value.flat_values
        return type(value)(map(flat, value)) if isinstance(value, list | tuple) else value

    result = op(*map(flat, args), **{key: flat(value) for key, value in kwargs.items()})
    if not given:
        return result
    splits = [[each._splits for each in ragged._levels()] for ragged in given]
    same = (len(a) == len(splits[0]) and all(map(row_splits_.same, a, splits[0])) for a in splits)
    if not all(same):
        raise ValueError("All ragged inputs to map_flat_values must have the same row splits.")
    return given[0].with_flat_values(result)
