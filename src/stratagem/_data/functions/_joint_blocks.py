"""Joint blocks, of elements that a split function's host functions take all at once: how many they are, and what comes out."""

from collections.abc import Iterator
from typing import Any, Final, final

import numpy as np

from stratagem._data.elements._nest import Array, leaves, packer, stacked, weight
from stratagem._data.functions._applied import check_tensors
from stratagem._data.functions._draws import BlockDraws
from stratagem._data.functions._split_mode import HostPart
from stratagem._data.stages._order import State

_MAX_WEIGHT: Final = 1 << 20  # so blocks have 4096 strings at most


@final
class BlockSizes:
    """The number of elements that are read at once: a few first, then twice as many, as long as they are not too large.

    unit: what it is a multiple of. Elements that host functions cannot take all at once are taken one by one, and twice as many
    each time that it happens again.
    """

    def __init__(self, unit: int) -> None:
        self._unit = self.now = unit
        self._alone, self._alone_until = unit, 0

    def took(self, elements: Any, count: int) -> None:
        """Takes note of a block that has been read, `count` stacked elements."""
        found = weight(elements)
        if count == self.now and 2 * found <= _MAX_WEIGHT:
            self.now *= 2
        elif found > _MAX_WEIGHT and self.now > self._unit:
            self.now //= 2

    def failed(self, first: int, count: int) -> None:
        """Takes note of elements, the first and how many, that have to be taken alone."""
        self._alone = max(2 * self._alone, count)
        self._alone_until = first + self._alone

    def joint_at(self, first: int) -> bool:
        """Returns whether the elements from this one on are taken all at once."""
        return first >= self._alone_until


def joint_result(part: HostPart, count: int, size: int, facts: State, first: int) -> Any:
    """The stacked results for `count` elements, the first of which has the number `first` in the iteration of `facts`.

    part: of all of them. size: the number of elements that the program takes at once.
    """
    cut = part.split.cut
    computed = list(_computed(part, count, size, facts, first))
    found = []
    for name in part.split.results:
        where = cut.results[name] if isinstance(name, int) else name
        if isinstance(where, int):
            parts = [results[where] for results in computed]
            found.append(parts[0] if len(parts) == 1 else np.concatenate(parts))
        else:
            found.append(np.asarray(part.known(where)))
    result = packer(part.split.template)(found)
    check_tensors(result)
    return result


def _computed(part: HostPart, count: int, size: int, facts: State, first: int) -> Iterator[list[Array]]:
    """The program's results for the elements, so many at a time as it takes."""
    after = part.split.cut.after
    if after is None:
        return
    inputs = part.inputs
    for start in range(0, count, size):
        draws = BlockDraws(facts, first + start, size)
        if size == 1:
            results = leaves(after(tuple(each[start] for each in inputs), *draws.of_one(0)))
            yield [stacked([each]) for each in results]
            continue
        stop = min(count, start + size)
        rows = np.minimum(np.arange(start, start + size), stop - 1)  # always the same size, see `BlockIterator`
        results = leaves(after.many(tuple(each[rows] for each in inputs), size, *draws.of_all))
        yield [each[: stop - start] for each in results]
