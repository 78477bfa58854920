"""The stage over another library's dataset: a stream of its elements, each drawn once."""

import abc
import threading
from typing import Any, final

from stratagem._data.foreign._elements import ElementConventions, ElementConverter
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._replay import name_position
from stratagem._data.stages._stage import Stage, StageIterator


class Stream(abc.ABC):
    """One iteration over a source, in the library's own objects."""

    @abc.abstractmethod
    def __next__(self) -> Any: ...

    @abc.abstractmethod
    def get_state(self) -> State:
        """The position, as JSON, as far as the number of drawn elements does not determine it."""

    @abc.abstractmethod
    def set_state(self, state: State, position: int) -> None:
        """Moves to the position of another stream of the same source, after `position` elements."""

    @abc.abstractmethod
    def close(self) -> None:
        """Stops the library's threads and processes that work for this stream."""


class Source(abc.ABC):
    """Another library's dataset."""

    def __init__(self, conventions: ElementConventions) -> None:
        self.conventions = conventions

    @property
    def cardinality(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        """The number of rows of all elements but the last, if the source tells."""
        return None

    @abc.abstractmethod
    def stream(self) -> Stream:
        """Starts a new iteration."""


@final
class ForeignStage(Stage):
    """The elements of another library's dataset."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._reader = ElementConverter(source.conventions)
        self._lock = threading.Lock()
        self._waiting: _ForeignIterator | None = None

    @property
    def knows_spec(self) -> bool:
        return self._reader.spec is not None

    @property
    def spec(self) -> Any:
        if self._reader.spec is None:
            try:
                self.example()
            except StopIteration:
                raise ValueError(
                    f"The element_spec of {self._source.conventions.what} is that of its first element, and it has none."
                ) from None
        return self._reader.spec

    @property
    def cardinality(self) -> int:
        return self._source.cardinality

    @property
    def batch_size(self) -> int | None:
        return self._source.batch_size

    @property
    def pure(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        with self._lock:
            waiting, self._waiting = self._waiting, None
        return waiting or _ForeignIterator(self._source, self._reader)

    def example(self) -> Any:
        # The iterator from which the example was drawn is returned by the next `walk`: no element is lost or made twice.
        with self._lock:
            if self._waiting is None:
                self._waiting = _ForeignIterator(self._source, self._reader)
            return self._waiting.peek()


@final
class _ForeignIterator(StageIterator):
    def __init__(self, source: Source, reader: ElementConverter) -> None:
        super().__init__()
        self._source = source
        self._reader = reader
        self._stream = source.stream()
        self._position = 0
        self._ended = False
        self._peeked: list[tuple[Any, State]] = []

    def peek(self) -> Any:
        """The next element, without consuming it."""
        if not self._peeked:
            state = self.get_state()
            self._peeked.append((self._draw(), state))
        return self._peeked[0][0]

    def __next__(self) -> Any:
        return self._peeked.pop()[0] if self._peeked else self._draw()

    def _draw(self) -> Any:
        if self._ended:
            raise StopIteration
        number = self._position
        try:
            drawn = next(self._stream)
        except StopIteration:
            self._ended = True
            raise
        except Exception as error:
            name_position(error, number, self._source.conventions.what)
            raise
        self._position += 1
        return self._reader.read(drawn, number)

    def get_state(self) -> State:
        if self._peeked:
            return self._peeked[0][1]
        return {"position": self._position, "stream": self._stream.get_state()}

    def set_state(self, state: State) -> None:
        self._peeked.clear()
        self._stream.set_state(state["stream"], state["position"])
        self._position, self._ended = state["position"], False

    def close(self) -> None:
        """Stops the library's threads and processes for this iteration."""
        self._ended = True
        self._stream.close()
        super().close()
