"""Hugging Face datasets, read in their own batches, in the format that the user set or else as NumPy arrays."""

import sys
import weakref
from collections.abc import Iterator
from typing import Any, final

from stratagem._data.elements._nest import map_leaves
from stratagem._data.elements._spec import without_rows
from stratagem._data.foreign._elements import ElementConventions
from stratagem._data.foreign._items import ForeignColumns
from stratagem._data.foreign._stage import Source, Stream
from stratagem._data.foreign._state_json import from_json, to_json
from stratagem._data.stages._columns import as_run
from stratagem._data.stages._order import Indices, State
from stratagem._data.stages._replay import name_position, replay

_TABLES = ("arrow", "pandas", "polars", "tensorflow")


def is_table(value: Any) -> bool:
    """Returns whether `value` is a `datasets.Dataset`."""
    return _is(value, "datasets.arrow_dataset", "Dataset")


def is_streamed(value: Any) -> bool:
    """Returns whether `value` is a `datasets.IterableDataset`."""
    return _is(value, "datasets.iterable_dataset", "IterableDataset")


def is_splits(value: Any) -> bool:
    """Returns whether `value` is a dictionary of datasets."""
    return _is(value, "datasets.dataset_dict", "DatasetDict") or _is(
        value, "datasets.dataset_dict", "IterableDatasetDict"
    )


def _is(value: Any, module: str, name: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and isinstance(value, getattr(found, name))


def with_arrays(dataset: Any) -> Any:
    """A `datasets.Dataset` whose rows are arrays: in the user's format, else as NumPy.

    Raises:
        ValueError: its rows are formatted as tables.
    """
    kind = dataset.format["type"]
    if kind is None:
        return dataset.with_format("numpy", columns=dataset.format["columns"])
    _refuse_tables(kind)
    return dataset


def is_fresh(dataset: Any) -> bool:
    """Returns whether no user code makes the rows, so that nobody else has their arrays."""
    return dataset.format["type"] != "custom"


@final
class TableColumns(ForeignColumns):
    """The rows of a `datasets.Dataset`, read many at once. `conventions` describes a batch."""

    def _row_spec(self, spec: Any) -> Any:
        return map_leaves(without_rows, spec)

    def _fetch(self, indices: Indices) -> Any:
        run = as_run(indices)
        try:
            batch = self._items[indices.tolist() if run is None else run]
        except Exception as error:
            name_position(error, int(indices[0]), self._conventions.what)
            raise
        return self._reader.read(batch, int(indices[0]))


@final
class Streamed(Source):
    """A `datasets.IterableDataset`; with `batch_size` its examples are batched by the library itself."""

    def __init__(self, dataset: Any, conventions: ElementConventions, batch_size: int | None) -> None:
        super().__init__(conventions)
        self._dataset = dataset
        self._batch_size = batch_size
        self._format = getattr(getattr(dataset, "_formatting", None), "format_type", None) or "numpy"
        _refuse_tables(self._format)
        self.running: weakref.WeakSet[_StreamedStream] = weakref.WeakSet()

    @property
    def batch_size(self) -> int | None:
        return self._batch_size

    def stream(self) -> Stream:
        return _StreamedStream(self)

    def for_iteration(self) -> Any:
        """A separate dataset for one iteration, in the epoch that the user set."""
        dataset = self._dataset.with_format(self._format)  # always a new object, because it keeps a loaded state
        if self._batch_size is not None:
            dataset = dataset.batch(self._batch_size)
        dataset.set_epoch(self.epoch)
        return dataset

    @property
    def epoch(self) -> int:
        """The epoch that the user set; shuffles depend on it."""
        return int(self._dataset.epoch)

    @property
    def saves_exactly(self) -> bool:
        """True if the library's state is complete; that of a shuffle buffer lacks the buffer's contents."""
        return not _has_buffer(getattr(self._dataset, "_ex_iterable", None))


@final
class _StreamedStream(Stream):
    """An iteration, begun with its first element. If the library's state is incomplete, the elements are replayed."""

    def __init__(self, source: Streamed) -> None:
        self._source = source
        self._epoch: int | None = None
        self._dataset: Any = None
        self._values: Iterator[Any] | None = None
        self.concurrent = False

    def __next__(self) -> Any:
        if self._values is None:
            self._begin(None)
        assert self._values is not None
        try:
            return next(self._values)
        except StopIteration:
            self._source.running.discard(self)
            raise

    def _begin(self, saved: Any) -> None:
        # Two concurrent iterations share the library's counters, which then tell the position of neither.
        others = [stream for stream in self._source.running if stream is not self]
        self.concurrent = bool(others)
        for stream in others:
            stream.concurrent = True
        self._source.running.add(self)
        self._dataset = self._source.for_iteration()
        if self._epoch is not None:
            self._dataset.set_epoch(
                self._epoch
            )  # the epoch of the saved run: with another one, the library starts anew
        if saved is not None:
            self._dataset.load_state_dict(saved)
        self._values = iter(self._dataset)

    def get_state(self) -> State:
        is_exact = self._values is not None and self._source.saves_exactly and not self.concurrent
        begun = self._source.epoch if self._epoch is None else self._epoch
        epoch = begun if self._dataset is None else self._dataset.epoch
        return {"epoch": epoch, "saved": to_json(self._dataset.state_dict()) if is_exact else None}

    def set_state(self, state: State, position: int) -> None:
        self._values, self._dataset, self._epoch = None, None, state["epoch"]
        if state["saved"] is None:
            replay(self.__next__, position, self._source.conventions.what)
        else:
            self._begin(from_json(state["saved"]))

    def close(self) -> None:
        self._values = None
        self._source.running.discard(self)


def _refuse_tables(kind: str) -> None:
    if kind in _TABLES:
        raise ValueError(f"A Hugging Face dataset of format {kind!r} has no arrays. Pass it with_format('numpy').")


def _has_buffer(node: Any) -> bool:
    """Returns whether a streamed dataset has a shuffle buffer among its steps, or its steps are unknown."""
    if node is None or "BufferShuffled" in type(node).__name__:
        return True
    parents = [node.ex_iterable] if hasattr(node, "ex_iterable") else getattr(node, "ex_iterables", ())
    return any(map(_has_buffer, parents))
