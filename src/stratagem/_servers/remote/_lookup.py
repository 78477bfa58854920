"""Look-ups in sharded tables, on the host: the distinct rows to read from each shard, and which of them each id gets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError

_MIN_CAPACITY = 8


@dataclass(frozen=True)
class RowsToLookUp:
    """The rows that some look-ups in one table need.

    rows: for each shard, the distinct local ids, ascending, padded to the shard's capacity with its number of rows,
    which is
        the id of no row.
    inverse: for each look-up, in the shape of its ids, positions in the concatenated rows of all shards.
    """

    rows: tuple[np.ndarray, ...]
    inverse: tuple[np.ndarray, ...]


@final
class RowCapacity:
    """The number of rows of each shard for which look-ups in a table have room.

    Every number of rows needs another compiled program, of the step and of the update. So capacities are powers of two
    (or all rows of a shard), have some rows to spare, and never shrink.
    """

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}

    def reserve(self, shard: int, count: int, size: int) -> int:
        """Returns the capacity of a shard of `size` rows, enlarged if needed to hold `count`.

        Two threads may enlarge it at once; then one of the results is enlarged again by a later call.
        """
        capacity = self._rows.get(shard, 0)
        if count > capacity or not capacity:
            wanted = max(_MIN_CAPACITY, count + count // 8)
            self._rows[shard] = capacity = min(1 << (wanted - 1).bit_length(), size)
        return capacity


def rows_to_look_up(ids: Sequence[Any], sizes: Sequence[int], name: str, capacity: RowCapacity) -> RowsToLookUp:
    """Returns the rows to read from the shards, whose numbers of rows are `sizes`.

    Raises InvalidArgumentError for an id outside the table, as TF does.
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
        padded = np.full(capacity.reserve(i, len(mine), size), size, np.int32)
        padded[: len(mine)] = mine
        shift[cuts[i] : cuts[i + 1]] = np.arange(offset, offset + len(mine))
        rows.append(padded)
        offset += len(padded)
    positions = shift[inverse.reshape(-1)] if len(distinct) else np.zeros(0, np.int32)
    ends = np.cumsum([0, *(a.size for a in arrays)])
    found = [positions[ends[i] : ends[i + 1]].reshape(a.shape) for i, a in enumerate(arrays)]
    return RowsToLookUp(tuple(rows), tuple(found))
