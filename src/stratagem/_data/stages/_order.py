"""Orders: the sequence in which an in-memory source's rows come, computed on whole arrays of indices.

Shuffling, repeating and slicing an in-memory dataset changes only its order; rows are gathered for a batch.
"""

import abc
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from stratagem._data.stages._cardinality import INFINITE, repeated, shard_length, skipped, taken
from stratagem._data.stages._seeds import EpochSeeds, generator

Indices = NDArray[np.int64]
State = dict[str, Any]

_NONE: Indices = np.empty(0, np.int64)
_CHUNK = 1 << 16
_ENDLESS = 1 << 62


class Order(abc.ABC):
    """A sequence of row indices, finite or not. It is a plan: `cursor` starts an iteration."""

    @property
    @abc.abstractmethod
    def length(self) -> int:
        """The number of indices, or INFINITE."""

    @property
    def parent(self) -> "Order | None":
        """The order that this one modifies, if any."""
        return None

    @abc.abstractmethod
    def cursor(self) -> "Cursor":
        """Starts a new iteration from the beginning."""


class Cursor(abc.ABC):
    """One iteration over an order."""

    @abc.abstractmethod
    def read(self, count: int) -> Indices:
        """The next `count` indices; fewer only at the end."""

    @abc.abstractmethod
    def get_state(self) -> State:
        """The position, as JSON."""

    @abc.abstractmethod
    def set_state(self, state: State) -> None:
        """Moves to the position of another iteration over the same order."""

    def discard(self, count: int) -> None:
        """Skips the next `count` indices."""
        while count > 0 and (read := len(self.read(min(count, _CHUNK)))):
            count -= read


@final
class StraightOrder(Order):
    """The indices 0, 1, ..., length - 1."""

    def __init__(self, length: int) -> None:
        self._length = length

    @property
    def length(self) -> int:
        return self._length

    def cursor(self) -> Cursor:
        return _StraightCursor(self._length)


@final
class _StraightCursor(Cursor):
    def __init__(self, length: int) -> None:
        self._length = length
        self._position = 0

    def read(self, count: int) -> Indices:
        start, self._position = self._position, min(self._position + count, self._length)
        return np.arange(start, self._position)

    def discard(self, count: int) -> None:
        self._position = min(self._position + count, self._length)

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self._position = state["position"]


@final
class CountingOrder(Order):
    """The indices 0, 1, 2, ... without end."""

    @property
    def length(self) -> int:
        return INFINITE

    def cursor(self) -> Cursor:
        return _StraightCursor(_ENDLESS)


@final
class ListedOrder(Order):
    """The given indices."""

    def __init__(self, indices: Indices) -> None:
        self._indices = indices

    @property
    def length(self) -> int:
        return len(self._indices)

    def cursor(self) -> Cursor:
        return _ListedCursor(self._indices)


@final
class _ListedCursor(Cursor):
    def __init__(self, indices: Indices) -> None:
        self._indices = indices
        self._position = 0

    def read(self, count: int) -> Indices:
        found = self._indices[self._position : self._position + count]
        self._position += len(found)
        return found

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self._position = state["position"]


@final
class RepeatedOrder(Order):
    """Repeats another order; a `count` of -1 repeats forever."""

    def __init__(self, parent: Order, count: int) -> None:
        self._parent = parent
        self._count = count

    @property
    def length(self) -> int:
        return repeated(self._parent.length, self._count)

    @property
    def parent(self) -> Order:
        return self._parent

    def cursor(self) -> Cursor:
        return _RepeatedCursor(self._parent.cursor, self._count)


@final
class _RepeatedCursor(Cursor):
    def __init__(self, start: Callable[[], Cursor], count: int) -> None:
        self._start = start
        self._left = count
        # Started here and kept until the end, so that every state includes the seeds of the shuffles in the parent.
        self._epoch = start()
        self._empty = True

    def read(self, count: int) -> Indices:
        parts: list[Indices] = []
        while count > 0 and self._left != 0:
            part = self._epoch.read(count)
            parts.append(part)
            count -= len(part)
            self._empty = self._empty and len(part) == 0
            if count > 0:
                # Repeating an empty order forever would never return.
                self._left = 0 if self._empty else self._left - 1
                if self._left != 0:
                    self._epoch, self._empty = self._start(), True
        return parts[0] if len(parts) == 1 else np.concatenate([_NONE, *parts])

    def get_state(self) -> State:
        return {"left": self._left, "empty": self._empty, "epoch": self._epoch.get_state()}

    def set_state(self, state: State) -> None:
        self._left, self._empty = state["left"], state["empty"]
        self._epoch = self._start()
        self._epoch.set_state(state["epoch"])


@final
class SlicedOrder(Order):
    """Every `step`-th index of another order from `start` on, at most `count` of them (-1: all)."""

    def __init__(self, parent: Order, *, start: int = 0, step: int = 1, count: int = -1) -> None:
        self._parent = parent
        self.cut = (start, step, count)

    @property
    def length(self) -> int:
        start, step, count = self.cut
        return taken(shard_length(skipped(self._parent.length, start), step, 0), count)

    @property
    def parent(self) -> Order:
        return self._parent

    def cursor(self) -> Cursor:
        return _SlicedCursor(self._parent.cursor(), *self.cut)


@final
class _SlicedCursor(Cursor):
    def __init__(self, parent: Cursor, start: int, step: int, count: int) -> None:
        self._parent = parent
        self._to_skip, self._step, self._left = start, step, count

    def read(self, count: int) -> Indices:
        if self._left >= 0:
            count = min(count, self._left)
        if count == 0:
            return _NONE
        self._parent.discard(self._to_skip)
        # The indices after the last one of this read are skipped at the next read, if there is one.
        found = self._parent.read((count - 1) * self._step + 1)[:: self._step]
        self._to_skip = self._step - 1
        if self._left >= 0:
            self._left -= len(found)
        return found

    def get_state(self) -> State:
        return {"skip": self._to_skip, "left": self._left, "parent": self._parent.get_state()}

    def set_state(self, state: State) -> None:
        self._to_skip, self._left = state["skip"], state["left"]
        self._parent.set_state(state["parent"])


@final
class RememberedOrder(Order):
    """The indices that another, finite order gave in its first iteration, the same in every later one."""

    def __init__(self, parent: Order) -> None:
        self._parent = parent
        self._origin: State | None = None
        self._indices: Indices = _NONE

    def __copy__(self) -> "RememberedOrder":
        return RememberedOrder(self._parent)  # it remembers nothing: a copy may get another parent

    @property
    def length(self) -> int:
        return self._parent.length

    @property
    def parent(self) -> Order:
        return self._parent

    def cursor(self) -> Cursor:
        return _RememberedCursor(self)

    def walked(self) -> tuple[Indices, State]:
        """All indices, computed once, and the state in which that iteration began."""
        if self._origin is None:
            cursor = self._parent.cursor()
            self._walk(cursor, cursor.get_state())
        assert self._origin is not None
        return self._indices, self._origin

    def restore(self, origin: State) -> None:
        """Computes the indices of another process, from the state `origin` in which its iteration began."""
        cursor = self._parent.cursor()
        cursor.set_state(origin)
        self._walk(cursor, origin)

    def _walk(self, cursor: Cursor, origin: State) -> None:
        self._indices, self._origin = cursor.read(self.length), origin


@final
class _RememberedCursor(Cursor):
    def __init__(self, order: RememberedOrder) -> None:
        self._order = order
        self._position = 0

    def read(self, count: int) -> Indices:
        indices, _ = self._order.walked()
        found = indices[self._position : self._position + count]
        self._position += len(found)
        return found

    def get_state(self) -> State:
        return {"position": self._position, "origin": self._order.walked()[1]}

    def set_state(self, state: State) -> None:
        self._order.restore(state["origin"])
        self._position = state["position"]


@final
class ShuffledOrder(Order):
    """Draws another order at random from a buffer: a uniform permutation if the buffer holds all of it."""

    def __init__(self, parent: Order, buffer_size: int, seeds: EpochSeeds) -> None:
        self._parent = parent
        self._buffer_size = buffer_size
        self._seeds = seeds

    @property
    def length(self) -> int:
        return self._parent.length

    @property
    def parent(self) -> Order:
        return self._parent

    def cursor(self) -> Cursor:
        return _ShuffledCursor(self._parent.cursor, self._buffer_size, self._seeds)


@final
class _ShuffledCursor(Cursor):
    """Draws in blocks of a fixed size, so that the order does not depend on how it is read."""

    _BLOCK = 4096

    def __init__(self, start: Callable[[], Cursor], buffer_size: int, seeds: EpochSeeds) -> None:
        self._start = start
        self._buffer_size = buffer_size
        self._seeds = seeds
        self._begin(start(), seeds.begin())

    def _begin(self, parent: Cursor, facts: dict[str, int]) -> None:
        self._parent = parent
        self._epoch_facts = facts
        # After a restore, drawing starts again from here, so that the buffer of indices need not be saved.
        self._origin = parent.get_state()
        self._generator = generator(facts)
        self._buffer: Indices | None = None
        self._drawn: Indices = _NONE
        self._emitted = 0

    def read(self, count: int) -> Indices:
        parts: list[Indices] = [self._drawn[:count]]
        self._drawn = self._drawn[count:]
        missing = count - len(parts[0])
        while missing > 0 and len(block := self._draw()):
            parts.append(block[:missing])
            self._drawn = block[missing:]
            missing -= len(parts[-1])
        found = np.concatenate(parts) if len(parts) > 1 else parts[0]
        self._emitted += len(found)
        return found

    def _draw(self) -> Indices:
        if self._buffer is None:
            self._buffer = self._parent.read(self._buffer_size).copy()
        buffer = self._buffer
        if len(buffer) == 0:
            return _NONE
        arriving = self._parent.read(self._BLOCK) if len(buffer) == self._buffer_size else _NONE
        if len(arriving) == 0:
            self._buffer = _NONE
            return self._generator.permutation(buffer)
        slots = self._generator.integers(0, self._buffer_size, self._BLOCK)[: len(arriving)]
        return _exchange(buffer, slots, arriving)

    def get_state(self) -> State:
        return {"shuffle": self._seeds.now(self._epoch_facts), "emitted": self._emitted, "origin": self._origin}

    def set_state(self, state: State) -> None:
        parent = self._start()
        parent.set_state(state["origin"])
        self._seeds.restore(state["shuffle"])
        self._begin(parent, state["shuffle"])
        self.discard(state["emitted"])


def _exchange(buffer: Indices, slots: Indices, arriving: Indices) -> Indices:
    """Returns `buffer[slot]` and replaces it by the arriving index, for all slots in turn, vectorized.

    A slot drawn twice returns what arrived at its previous draw, hence the stable sort by slot.
    """
    by_slot = np.argsort(slots, kind="stable")
    sorted_slots, sorted_arriving = slots[by_slot], arriving[by_slot]
    first = np.concatenate([[True], sorted_slots[1:] != sorted_slots[:-1]])
    last = np.concatenate([first[1:], [True]])
    leaving = np.empty_like(arriving)
    leaving[by_slot] = np.where(first, buffer[sorted_slots], np.roll(sorted_arriving, 1))
    buffer[sorted_slots[last]] = sorted_arriving[last]
    return leaving
