"""Sources that save their own position: iterables with `state_dict` and `load_state_dict`."""

from collections.abc import Iterator
from typing import Any, Protocol, final, runtime_checkable

from stratagem._data.foreign._elements import ElementConventions
from stratagem._data.foreign._stage import Source, Stream
from stratagem._data.foreign._state_json import from_json, to_json
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._replay import replay


@runtime_checkable
class SavesPosition(Protocol):
    """An iterable that can save and load its position."""

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


@final
class Stateful(Source):
    """An iterable whose state is that of its latest iteration, such as torchdata's StatefulDataLoader."""

    def __init__(
        self,
        iterable: Any,
        conventions: ElementConventions,
        *,
        cardinality: int = UNKNOWN,
        batch_size: int | None = None,
    ) -> None:
        super().__init__(conventions)
        self.iterable = iterable
        self.running: Stream | None = None
        self._cardinality = cardinality
        self._batch_size = batch_size

    @property
    def cardinality(self) -> int:
        return self._cardinality

    @property
    def batch_size(self) -> int | None:
        return self._batch_size

    def stream(self) -> Stream:
        return _StatefulStream(self)


@final
class _StatefulStream(Stream):
    """An iteration, begun with its first element. While another iteration runs, its state can only be restored by replaying."""

    def __init__(self, source: Stateful) -> None:
        self._source = source
        self._values: Iterator[Any] | None = None
        self._to_load: Any = None
        self._known: State | None = None

    def __next__(self) -> Any:
        # Taken before drawing, because a loader at its end is already in the state of the next epoch.
        state = self.get_state()
        if self._values is None:
            self._begin()
        assert self._values is not None
        try:
            element = next(self._values)
        except StopIteration:
            self._known, self._source.running = state, None
            raise
        self._known = None
        return element

    def _begin(self) -> None:
        self._source.running = self
        iterable = self._source.iterable
        if self._to_load is not None:
            iterable.load_state_dict(self._to_load)
        self._values = iter(iterable)
        self._to_load = None

    def get_state(self) -> State:
        if self._known is None:
            mine = self._source.running is (None if self._values is None else self)
            self._known = {"saved": to_json(self._source.iterable.state_dict()) if mine else None}
        return self._known

    def set_state(self, state: State, position: int) -> None:
        self._values, self._known = None, None
        if state["saved"] is None:
            replay(self.__next__, position, self._source.conventions.what)
        else:
            self._to_load, self._known = from_json(state["saved"]), state

    def close(self) -> None:
        self._values = None
