"""Windows: elements that are datasets of neighbouring elements."""

from collections import deque
from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.elements._nest import leaves, map_leaves, packer
from stratagem._data.elements._spec import DatasetSpec, NestedDataset
from stratagem._data.functions._relaxed_spec import static_spec
from stratagem._data.stages._buffers import ListStage
from stratagem._data.stages._cardinality import windows
from stratagem._data.stages._order import ListedOrder, Order, State
from stratagem._data.stages._stage import OrderedRowsStage, ParentIterator, Stage, StageIterator, UnaryStage

Wrap = Callable[[Stage], NestedDataset]


@final
class WindowStage(UnaryStage):
    """Windows of `size` elements, every `stride`-th one, beginning `shift` elements apart; each is a nest of datasets.

    wrap: makes a dataset of a plan. For rows in memory, a window holds indices, so that batching it is one gather.
    """

    def __init__(self, parent: Stage, size: int, shift: int, stride: int, *, drop_remainder: bool, wrap: Wrap) -> None:
        super().__init__(parent)
        for value, name in ((size, "size"), (shift, "shift"), (stride, "stride")):
            if value < 1:
                raise InvalidArgumentError(f"Window {name} must be greater than zero, got {value}.")
        self.size, self.shift, self.stride = size, shift, stride
        self.drop_remainder = drop_remainder
        self._wrap = wrap

    @property
    def span(self) -> int:
        """The number of elements from the first to the last one of a full window."""
        return self.stride * (self.size - 1) + 1

    @property
    def spec(self) -> Any:
        return map_leaves(DatasetSpec, static_spec(self._parent))

    @property
    def cardinality(self) -> int:
        return windows(self._parent.cardinality, self.span, self.shift, drop_remainder=self.drop_remainder)

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        parent = self._parent
        if isinstance(parent, OrderedRowsStage) and parent.cheap:
            return _WindowIterator(self, _OrderIterator(parent.order), self._from_rows(parent))
        return _WindowIterator(self, parent.walk(), self._from_elements)

    def example(self) -> Any:
        return self._from_elements([self._parent.example()])

    def _from_elements(self, elements: list[Any]) -> Any:
        """A window of elements, as a nest of datasets of their components."""
        columns = zip(*map(leaves, elements), strict=True)
        return packer(elements[0])(self._component(i, column) for i, column in enumerate(columns))

    def _component(self, number: int, column: tuple[Any, ...]) -> NestedDataset:
        return self._wrap(ListStage(column, lambda: leaves(static_spec(self._parent))[number]))

    def _from_rows(self, rows: OrderedRowsStage) -> Callable[[list[int]], Any]:
        """Returns a function that makes a window from indices."""
        pack, parts = packer(rows.spec), rows.columns.parts()

        def window(indices: list[int]) -> Any:
            order = ListedOrder(np.asarray(indices, np.int64))
            return pack(self._wrap(OrderedRowsStage(part, order)) for part in parts)

        return window


@final
class _WindowIterator(ParentIterator):
    """Buffers the elements from the beginning of the next window on.

    A restore reads them again, from the parent's state at the beginning of that window.
    """

    def __init__(self, stage: WindowStage, parent: StageIterator, make: Callable[[list[Any]], Any]) -> None:
        super().__init__(parent)
        self._stage = stage
        self._make = make
        self._begin(to_skip=0)

    def _begin(self, to_skip: int) -> None:
        """Starts at the parent's current element, after skipping elements that lie between two windows."""
        self._buffer: deque[Any] = deque()
        self._to_skip = to_skip
        self._read = 0
        # The parent's state before each buffered element that begins a window.
        self._origins: deque[State] = deque()

    def __next__(self) -> Any:
        stage = self._stage
        while self._to_skip > 0:
            next(self._source)
            self._to_skip -= 1
        self._fill(stage.span)
        if not self._buffer or (stage.drop_remainder and len(self._buffer) < stage.span):
            raise StopIteration
        window = self._make([self._buffer[i] for i in range(0, min(len(self._buffer), stage.span), stage.stride)])
        self._drop(stage.shift)
        return window

    def _fill(self, span: int) -> None:
        while len(self._buffer) < span:
            origin = self._source.get_state() if self._read % self._stage.shift == 0 else None
            try:
                element = next(self._source)
            except StopIteration:
                return
            if origin is not None:
                self._origins.append(origin)
            self._buffer.append(element)
            self._read += 1

    def _drop(self, count: int) -> None:
        """Moves on to the window that begins `count` elements later; elements not read yet are skipped at the next call."""
        held = len(self._buffer)
        if count >= held:
            self._begin(to_skip=count - held)
            return
        for _ in range(count):
            self._buffer.popleft()
        self._origins.popleft()

    def get_state(self) -> State:
        if self._origins:
            return {"skip": 0, "parent": self._origins[0]}
        return {"skip": self._to_skip, "parent": self._source.get_state()}

    def set_state(self, state: State) -> None:
        self._source.set_state(state["parent"])
        self._begin(state["skip"])

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


@final
class _OrderIterator(StageIterator):
    """Iterates over the indices of an order, read a block at a time."""

    _BLOCK = 1024

    def __init__(self, order: Order) -> None:
        super().__init__()
        self._cursor = order.cursor()
        self._begin()

    def _begin(self) -> None:
        self._origin = self._cursor.get_state()
        self._indices: list[int] = []
        self._position = 0

    def __next__(self) -> int:
        if self._position == len(self._indices):
            self._begin()
            self._indices = self._cursor.read(self._BLOCK).tolist()
            if not self._indices:
                raise StopIteration
        self._position += 1
        return self._indices[self._position - 1]

    def get_state(self) -> State:
        return {"block": self._origin, "position": self._position}

    def set_state(self, state: State) -> None:
        self._cursor.set_state(state["block"])
        self._cursor.discard(state["position"])
        self._begin()
