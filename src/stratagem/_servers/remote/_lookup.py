"""Look-ups in sharded tables, on the host: which distinct rows of which shard, and where each id finds its row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError

_SMALLEST = 8


@dataclass(frozen=True)
class RowsToLookUp:
    """What some look-ups in one table need.

    rows: by shard, the distinct local ids, ascending, padded to the shard's room with its number of rows, which is no row's
        id. inverse: for every look-up, of the shape of its ids, positions in the shards' rows one after another.
    """

    rows: tuple[np.ndarray, ...]
    inverse: tuple[np.ndarray, ...]


@final
class RowCapacity:
    """For how many rows of each shard the look-ups in a table have room.

    Every number of rows is another program to compile, of the step and of the update: so these are powers of two (or all of
    a shard), with some rows to spare, and never become less.
    """

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}

    def of(self, shard: int, count: int, size: int) -> int:
        """Room for `count` of the `size` rows of a shard. (Of two threads that enlarge it at once, one does so later.)"""
        room = self._rows.get(shard, 0)
        if count > room or not room:
            spared = max(_SMALLEST, count + count // 8)
            self._rows[shard] = room = min(1 << (spared - 1).bit_length(), size)
        return room


def rows_to_look_up(ids: Sequence[Any], sizes: Sequence[int], name: str, room: RowCapacity) -> RowsToLookUp:
    """Which rows to ask the shards (with so many rows each) for.

    Raises InvalidArgumentError for an id that is no row's, as TF does.
    """
    arrays = [np.asarray(i) for i in ids]
    flat = np.concatenate([a.reshape(-1) for a in arrays]) if len(arrays) > 1 else arrays[0].reshape(-1)
    total = sum(sizes)
    distinct, inverse = np.unique(flat, return_inverse=True)
    if distinct.size and (distinct[0] < 0 or distinct[-1] >= total):
        bad = distinct[0] if distinct[0] < 0 else distinct[-1]
        raise InvalidArgumentError(
            f"Look-up in {name}: id {bad} is not in [0, {total}). Check the vocabulary and the input; nothing was changed."
        )
    starts = np.cumsum([0, *sizes])
    cuts = np.searchsorted(distinct, starts)
    rows, offset, shift = [], 0, np.zeros(len(distinct), np.int32)
    for i, size in enumerate(sizes):
        mine = distinct[cuts[i] : cuts[i + 1]] - starts[i]
        padded = np.full(room.of(i, len(mine), size), size, np.int32)
        padded[: len(mine)] = mine
        shift[cuts[i] : cuts[i + 1]] = np.arange(offset, offset + len(mine))
        rows.append(padded)
        offset += len(padded)
    positions = shift[inverse.reshape(-1)] if len(distinct) else np.zeros(0, np.int32)
    ends = np.cumsum([0, *(a.size for a in arrays)])
    found = [positions[ends[i] : ends[i + 1]].reshape(a.shape) for i, a in enumerate(arrays)]
    return RowsToLookUp(tuple(rows), tuple(found))
