"""Groups elements by a key: every full group is reduced to a dataset of its own."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, leaves, map_leaves, spec_of
from stratagem._data.elements._spec import NestedDataset
from stratagem._data.functions._applied import AppliedFunction
from stratagem._data.functions._relaxed_spec import of_any_size, static_spec
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.grouping._interleave import DatasetFunction
from stratagem._data.stages._buffers import ListStage
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage, StageIterator, UnaryStage

Wrap = Callable[[Stage], NestedDataset]


@final
class GroupStage(UnaryStage):
    """The results of `reduce_func(key, window)` for every `size` elements with one key; at the end, for the rest, by key.

    key: a function of an element that returns an integer. size: the size of a group, by key. wrap: makes a dataset of
    a plan.
    """

    def __init__(
        self, parent: Stage, key: UserFunction, reduce: UserFunction, size: Callable[[Array], Any], wrap: Wrap
    ) -> None:
        super().__init__(parent)
        self._key = AppliedFunction(parent, key)
        if self._key.traced is not None:
            check_key(self._key.traced.program.trace.spec)
        self._opener = DatasetFunction(reduce)
        self._size = size
        self._wrap = wrap

    @functools.cached_property
    def _inner(self) -> Stage | None:
        """The plan made from a group of one element; None when there is no element."""
        try:
            element = self._parent.example()
        except StopIteration:
            return None
        return self._opener.example(self._arguments(self.key(element, {}, 0), [element]))

    @functools.cached_property
    def spec(self) -> Any:
        if self._inner is None:
            raise ValueError("The element_spec of grouped elements is found out by reducing one, and there is none.")
        # The spec comes from one group. Others may differ in the number of rows; if elements have open sizes, in any size.
        known = all(s.shape.is_fully_defined() for s in leaves(static_spec(self._parent)))
        return map_leaves(_of_any_rows if known else of_any_size, self._inner.spec)

    @property
    def cardinality(self) -> int:
        return INFINITE if self._parent.cardinality == INFINITE else UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None if self._inner is None else self._inner.batch_size

    @property
    def pure(self) -> bool:
        return False

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _GroupIterator(self, self._parent.walk())

    def example(self) -> Any:
        if self._inner is None:
            raise StopIteration
        return self._inner.example()

    @property
    def opener(self) -> DatasetFunction:
        """The user's reduce function."""
        return self._opener

    @property
    def keys(self) -> AppliedFunction:
        """The user's key function."""
        return self._key

    def key(self, element: Any, draws: State, position: int) -> int:
        """The key of an element.

        Raises:
            ValueError: the user's function did not return an integer.
        """
        key = self._key(element, draws, position)
        check_key(spec_of(key))
        return int(key)

    def size(self, key: int) -> int:
        """The number of elements in a group of this key.

        Raises:
            InvalidArgumentError: the size is not positive.
        """
        size = int(self._size(np.asarray(key, np.int64)))
        if size < 1:
            raise InvalidArgumentError(f"Window size must be greater than zero, but got {size}.")
        return size

    def reduced(self, key: int, elements: list[Any], facts: State, number: int) -> Stage:
        """The plan that the user's function makes from a group, the one with this number in the iteration."""
        return self._opener.stage(self._arguments(key, elements), facts, number)

    def _arguments(self, key: int, elements: list[Any]) -> tuple[Array, NestedDataset]:
        return (np.asarray(key, np.int64), self._wrap(ListStage(elements, lambda: static_spec(self._parent))))


@final
@dataclasses.dataclass(frozen=True)
class _Member:
    """An element of a group, with its number and the parent's state before it."""

    number: int
    origin: State
    element: Any


@final
class _GroupIterator(StageIterator):
    """Reduces groups one after another. A restore reads again from the oldest element of the unfinished groups."""

    def __init__(self, stage: GroupStage, parent: StageIterator) -> None:
        super().__init__(parent)
        self._stage = stage
        self._source = parent
        self._epoch_facts = stage.opener.draws.begin()
        self._draws = stage.keys.begin()
        self._groups: dict[int, list[_Member]] = {}
        self._read = self._reduced = 0
        self._ended = False
        # The group that is being reduced, with its key, and the iterator over the resulting dataset.
        self._group: tuple[int, list[_Member]] = (0, [])
        self._walk: StageIterator | None = None

    def __next__(self) -> Any:
        while True:
            if self._walk is not None:
                for element in self._walk:
                    return element
                self._walk.close()
                self._walk, self._group = None, (0, [])
            self._reduce(*self._full_group())

    def _full_group(self) -> tuple[int, list[_Member]]:
        """The next full group or, when there are no more elements, the one with the smallest key."""
        while not self._ended:
            origin = self._source.get_state()
            try:
                element = next(self._source)
            except StopIteration:
                self._ended = True
                break
            self._read += 1
            key = self._stage.key(element, self._draws, self._read - 1)
            group = self._groups.setdefault(key, [])
            group.append(_Member(self._read - 1, origin, element))
            if len(group) >= self._stage.size(key):
                return key, self._groups.pop(key)
        if not self._groups:
            raise StopIteration
        key = min(self._groups)
        return key, self._groups.pop(key)

    def _reduce(self, key: int, group: list[_Member]) -> None:
        self._reduced += 1
        elements = [held.element for held in group]
        self._walk = self._stage.reduced(key, elements, self._epoch_facts, self._reduced - 1).walk()
        self._group = (key, group)

    def get_state(self) -> State:
        key, group = self._group
        held = [h for members in (group, *self._groups.values()) for h in members]
        oldest = min(held, key=lambda h: h.number, default=None)
        return {
            "facts": self._stage.opener.draws.now(self._epoch_facts),
            "draws": self._draws,
            "groups": [[key, [h.number for h in members]] for key, members in self._groups.items()],
            "group": [key, [h.number for h in group]],
            "walk": None if self._walk is None else self._walk.get_state(),
            "read": self._read,
            "reduced": self._reduced,
            "ended": self._ended,
            "oldest": None if oldest is None else [oldest.number, oldest.origin],
            "parent": self._source.get_state(),
        }

    def set_state(self, state: State) -> None:
        self._close()
        self._epoch_facts, self._draws = state["facts"], state["draws"]
        self._stage.opener.draws.restore(self._epoch_facts)
        self._stage.keys.restore(self._draws)
        key, numbers = state["group"]
        held = self._read_again(state, {n for _, members in [*state["groups"], (key, numbers)] for n in members})
        self._groups = {k: [held[n] for n in members] for k, members in state["groups"]}
        self._read, self._ended = state["read"], state["ended"]
        self._reduced = state["reduced"]
        if state["walk"] is not None:
            self._reduced -= 1
            self._reduce(key, [held[n] for n in numbers])
            assert self._walk is not None
            self._walk.set_state(state["walk"])

    def _read_again(self, state: State, wanted: set[int]) -> dict[int, _Member]:
        """Reads the elements with these numbers again and returns the parent to its saved state."""
        held: dict[int, _Member] = {}
        if state["oldest"] is not None:
            first, origin = state["oldest"]
            self._source.set_state(origin)
            for number in range(first, max(wanted) + 1):
                before = self._source.get_state()
                element = next(self._source)
                if number in wanted:
                    held[number] = _Member(number, before, element)
        if state["ended"] or not held or max(held) + 1 != state["read"]:
            self._source.set_state(state["parent"])
        return held

    def _close(self) -> None:
        if self._walk is not None:
            self._walk.close()
        self._walk, self._group = None, (0, [])

    def close(self) -> None:
        """Stops the threads of the group being reduced and closes the parent iterators."""
        self._close()
        super().close()


def check_key(spec: Any) -> None:
    """Raises ValueError unless a key of this spec is an integer."""
    if not isinstance(spec, TensorSpec) or spec.shape.rank != 0 or spec.dtype.kind not in "iu":
        raise ValueError(
            "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return type is "
            f"{spec}."
        )


def _of_any_rows(spec: Any) -> Any:
    return TensorSpec((None, *spec.shape[1:]), spec.dtype) if isinstance(spec, TensorSpec) and spec.shape.rank else spec
