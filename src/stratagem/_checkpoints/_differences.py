"""Differences between two checkpoints of any formats: values by name, shape, dtype and their largest absolute difference."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from stratagem._base.types import PathLike
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._formats import read
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._locations import in_order, location_of
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._renamed_graph import renamed


@final
@dataclass(frozen=True, kw_only=True)
class Difference:
    """A value that two checkpoints do not both have, or not alike.

    kind: `missing`, `shape`, `dtype`, `value` or `state`. first, second: what each has; empty where it has none.
    count: of a value, the number of elements that differ. largest: their largest absolute difference, NaN where only one of
        two numbers is NaN; None where nothing can be subtracted.
    """

    name: str
    kind: str
    first: str
    second: str
    count: int = 0
    largest: float | None = None


@final
@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two checkpoints, value by value. equal: the number of values that are equal; tolerated: of these, how many are only
    within the tolerance. differences: sorted by name.
    """

    first: str
    second: str
    equal: int
    tolerated: int
    differences: list[Difference]


def compared(first: PathLike, second: PathLike, *, tolerance: float = 0.0) -> Comparison:
    """Compares the values of two checkpoints, or of the newest intact ones of directories.

    Values correspond if the same edges lead to them from the root, whatever they are called; values by name, if their names
    are equal. If only one of the two has Keras 2's edges, the other's are converted. tolerance: the largest difference of
    elements that still counts as equal.
    Raises NotFoundError when there is no checkpoint, DataLossError for a damaged one, CheckpointError for one that is larger
    than this machine's memory.
    """
    paths = [location_of(path).values for path in (first, second)]
    one, other = (read(path) for path in paths)
    if (one.naming is OWN) != (other.naming is OWN):
        one, other = renamed(one).contents, renamed(other).contents
    found = _Comparing(one, other, tolerance)
    differences = sorted(found.differences(), key=lambda each: in_order(each.name))
    return Comparison(
        first=os.fspath(paths[0]),
        second=os.fspath(paths[1]),
        equal=found.equal,
        tolerated=found.tolerated,
        differences=differences,
    )


class _Comparing:
    """One comparison."""

    def __init__(self, one: CheckpointContents, other: CheckpointContents, tolerance: float) -> None:
        self._one, self._other, self._tolerance = one, other, tolerance
        self.equal = self.tolerated = 0

    def differences(self) -> Iterator[Difference]:
        """The differences, in no order; counts what is equal."""
        pairs = [(a, b) for a, b in self._pairs() if a.has_value or a.kind == "named"]
        arrays = {a.path: b.path for a, b in pairs if a.kind in ("variable", "named")}
        states = {a.path: b.path for a, b in pairs if a.kind == "state"}
        alone = self._one.arrays.keys() & self._other.arrays.keys() - set(arrays.values())
        arrays |= {name: name for name in alone if name not in arrays}  # values that no edge leads to
        for name, theirs in arrays.items():
            yield from self._array(name, np.asarray(self._one.arrays[name]), np.asarray(self._other.arrays[theirs]))
        for name, theirs in states.items():
            yield from self._state(name, self._one.states[name], self._other.states[theirs])
        for contents, matched, mine in ((self._one, {*arrays}, True), (self._other, {*arrays.values()}, False)):
            for name in contents.arrays.keys() - matched:
                shown = _described(contents.arrays[name])
                yield Difference(name=name, kind="missing", first=shown * mine, second=shown * (not mine))
        for contents, matched, mine in ((self._one, {*states}, True), (self._other, {*states.values()}, False)):
            for name in contents.states.keys() - matched:
                yield Difference(name=name, kind="missing", first="state" * mine, second="state" * (not mine))

    def _pairs(self) -> Iterator[tuple[Node, Node]]:
        """Nodes that correspond: by edges from the root, by slots, by name."""
        ones, others = self._one.nodes, self._other.nodes
        bound, queue = {0: 0}, [0]
        for i in queue:  # the list grows while it is read
            edges = [(child, others[bound[i]].children.get(name)) for name, child in ones[i].children.items()]
            theirs = self._other.slots.get(bound[i], {})
            for (original, name), slot in self._one.slots.get(i, {}).items():
                edges.append((slot, theirs.get((bound.get(original, -1), name))))
            for child, other in edges:
                if child not in bound and other is not None and ones[child].kind == others[other].kind:
                    bound[child] = other
                    queue.append(child)
        yield from ((ones[i], others[j]) for i, j in bound.items())
        named = {node.path: node for node in others if node.kind == "named"}
        yield from ((node, named[node.path]) for node in ones if node.kind == "named" and node.path in named)

    def _array(self, name: str, one: np.ndarray, other: np.ndarray) -> Iterator[Difference]:
        for kind, same in (("shape", one.shape == other.shape), ("dtype", one.dtype == other.dtype)):
            if not same:
                yield Difference(name=name, kind=kind, first=_described(one), second=_described(other))
                return
        count, largest = _distance(one, other)
        if count == 0 or (largest is not None and largest <= self._tolerance):
            self.equal += 1
            self.tolerated += count > 0
        else:
            shown = _described(one)
            yield Difference(name=name, kind="value", first=shown, second=shown, count=count, largest=largest)

    def _state(self, name: str, one: object, other: object) -> Iterator[Difference]:
        if one == other:
            self.equal += 1
        else:
            yield Difference(name=name, kind="state", first=f"{one!r:.60}", second=f"{other!r:.60}")


def _distance(one: np.ndarray, other: np.ndarray) -> tuple[int, float | None]:
    """The number of elements that differ, and the largest absolute difference; NaN equals NaN."""
    if one.dtype.hasobject or one.dtype == np.bool_:
        count = int(np.count_nonzero(one != other))
        return count, None if one.dtype.hasobject else float(count > 0)
    exact = one.dtype.kind in "iu"
    differs = one != other
    if not exact:
        differs &= ~((one != one) & (other != other))
    count = int(np.count_nonzero(differs))
    if count == 0:
        return 0, 0.0
    wide = np.longdouble if exact else np.complex128 if one.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        return count, float(np.max(np.abs(one[differs].astype(wide) - other[differs].astype(wide))))


def _described(array: object) -> str:
    shape, dtype = getattr(array, "shape", ()), np.dtype(getattr(array, "dtype", object))
    return f"{'string' if dtype.hasobject else dtype} {list(shape)}"
