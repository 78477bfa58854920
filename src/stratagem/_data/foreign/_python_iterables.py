"""Python iterables: iterated anew in every epoch, and replayed after a restore."""

import abc
from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.foreign._elements import ElementConventions
from stratagem._data.foreign._stage import Source, Stream
from stratagem._data.stages._order import State
from stratagem._data.stages._replay import replay


class Randomness(abc.ABC):
    """The random state in which an iteration begins: with it, a replay gives the same elements again."""

    @abc.abstractmethod
    def save(self) -> State:
        """The current state, as JSON."""

    @abc.abstractmethod
    def restore(self, state: State) -> None:
        """Sets the state."""


@final
class NullRandomness(Randomness):
    """The null object for iterations whose random state is unknown."""

    def save(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        pass


@final
class ReplayedStream(Stream):
    """One iteration of an iterable, begun with its first element."""

    def __init__(self, start: Callable[[], Iterator[Any]], what: str, randomness: Randomness) -> None:
        self._start = start
        self._what = what
        self._randomness = randomness
        self._values: Iterator[Any] | None = None
        self._origin: State | None = None

    def __next__(self) -> Any:
        if self._values is None:
            if self._origin is None:
                self._origin = self._randomness.save()
            else:
                self._randomness.restore(self._origin)
            self._values = self._start()
        return next(self._values)

    def get_state(self) -> State:
        return self._randomness.save() if self._origin is None else self._origin

    def set_state(self, state: State, position: int) -> None:
        self._values, self._origin = None, state
        replay(self.__next__, position, self._what)

    def close(self) -> None:
        self._values = None  # this ends a torch DataLoader's workers


@final
class IterableSource(Source):
    """An object that returns a new iterator on each request, or a function that does."""

    def __init__(self, start: Callable[[], Any], conventions: ElementConventions) -> None:
        super().__init__(conventions)
        self._start = start
        self._last: Iterator[Any] | None = None

    def stream(self) -> Stream:
        return ReplayedStream(self._begin, self.conventions.what, NullRandomness())

    def _begin(self) -> Iterator[Any]:
        made = self._start()
        if not isinstance(made, Iterable):
            raise TypeError(
                f"{self.conventions.what} returned {type(made).__name__}: {made!r:.100}. It must return an iterable."
            )
        values = iter(made)
        if values is self._last:
            raise InvalidArgumentError(
                f"{self.conventions.what} gave the same iterator a second time, which is used up. It must make a new one."
            )
        self._last = values
        return values


@final
class OneShot(Source):
    """An iterator, whose elements can be drawn only once."""

    def __init__(self, values: Iterator[Any], conventions: ElementConventions) -> None:
        super().__init__(conventions)
        self._values = values
        self._first: list[Any] = []
        self.drawn = 0

    def stream(self) -> Stream:
        return _OneShotStream(self)

    def draw(self, position: int) -> Any:
        """Element `position`, which must be the next one; only the first can be drawn again, until the second is drawn."""
        if position == 0 and self._first:
            return self._first[0]
        if position != self.drawn:
            raise InvalidArgumentError(
                f"Element {position} of {self.conventions.what} was asked for, but {self.drawn} elements were drawn from it "
                "already, and an iterator goes forward once. Pass a function that returns a new iterator, or an object "
                "that can be iterated again (a list, a class with __iter__)."
            )
        # The first element is kept, because it may only have been looked at before another iteration begins.
        self._first = []
        element = next(self._values)
        self._first = [element] if position == 0 else []
        self.drawn += 1
        return element


@final
class _OneShotStream(Stream):
    def __init__(self, source: OneShot) -> None:
        self._source = source
        self._position = 0

    def __next__(self) -> Any:
        element = self._source.draw(self._position)
        self._position += 1
        return element

    def get_state(self) -> State:
        return {}

    def set_state(self, state: State, position: int) -> None:
        # Elements may already have been drawn, for an example or in this very stream.
        self._position = min(position, self._source.drawn)
        replay(self.__next__, position - self._position, self._source.conventions.what)

    def close(self) -> None:
        pass
