"""`snapshot`: the first complete iteration writes the elements to a folder, later ones read them, in an order of their own."""

import functools
from collections.abc import Callable
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.caching._file_cache import digest
from stratagem._data.caching._saved import SavedDataset, SavedDatasetWriter, read_saved
from stratagem._data.elements._nest import kinds_of
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import RestartingIterator, Stage, StageIterator, UnaryStage


@final
class SnapshotStage(UnaryStage):
    """The elements in a folder or, as long as there are none, the parent's, which are written to it.

    shards: makes, for the plan whose elements are written, a function of an element and its position that tells its shard.
    opened: makes the plan that reads a dataset that is there. runs_user_code: whether one of them does.
    """

    def __init__(
        self,
        parent: Stage,
        path: str,
        shards: Callable[[Stage], Callable[[Any, int], int]],
        opened: Callable[[SavedDataset], Stage],
        *,
        compress: bool,
        runs_user_code: bool,
    ) -> None:
        super().__init__(parent)
        self.path = path
        self._shards = shards
        self.opened = opened
        self.compress = compress
        self._runs_user_code = runs_user_code

    def with_parents(self, *parents: Stage) -> "SnapshotStage":
        (parent,) = parents
        # A worker's own part of the data needs a folder of its own: workers may share one.
        path = self.path if parent is self._parent else f"{self.path}/{digest(parent)}"
        return SnapshotStage(
            parent, path, self._shards, self.opened, compress=self.compress, runs_user_code=self._runs_user_code
        )

    @functools.cached_property
    def spec(self) -> Any:
        return self._parent.spec

    @property
    def pure(self) -> bool:
        return self._parent.pure and not self._runs_user_code

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        saved = self.saved()
        return _SnapshotIterator(self, self._parent if saved is None else self.opened(saved), reads=saved is not None)

    def saved(self) -> SavedDataset | None:
        """The dataset in the folder; None if there is none.

        Raises:
            InvalidArgumentError: it holds other elements than this pipeline makes.
        """
        saved = read_saved(self.path)
        if saved is not None and kinds_of(saved.spec) != kinds_of(self.spec):
            raise InvalidArgumentError(
                f"The snapshot {self.path} was made of other elements: {saved.spec}, and this dataset has {self.spec}. "
                "Delete it, or give `snapshot` another path."
            )
        return saved

    def writer(self) -> SavedDatasetWriter:
        """Begins to write the folder."""
        return SavedDatasetWriter(self.path, self.spec, compress=self.compress)

    def shards(self) -> Callable[[Any, int], int]:
        """Begins an iteration of the function that tells the shard of an element, by its position."""
        return self._shards(self._parent)


@final
class _SnapshotIterator(RestartingIterator):
    """Reads the folder if it is there at the beginning, else writes it. An iteration that was restored writes nothing."""

    def __init__(self, stage: SnapshotStage, source: Stage, *, reads: bool) -> None:
        super().__init__(source)
        self._snapshot = stage
        self._reads = reads
        self._walk = self._start()
        self._count = 0
        self._writer: SavedDatasetWriter | None = None

    def __next__(self) -> Any:
        if not self._reads and self._count == 0:
            self._writer, self._shard = self._snapshot.writer(), self._snapshot.shards()
        try:
            element = next(self._walk)
        except StopIteration:
            self._complete()
            raise
        if self._writer is not None:
            self._writer.write(element, self._shard(element, self._count))
        self._count += 1
        return element

    def _complete(self) -> None:
        if self._writer is not None:
            self._writer.complete(if_first=True)
        self._writer = None
        self._count = self._count or -1  # an empty dataset is written once

    def get_state(self) -> State:
        return {"reads": self._reads, "count": self._count, "source": self._walk.get_state()}

    def set_state(self, state: State) -> None:
        self._abandon()
        if state["reads"] != self._reads:
            saved = self._snapshot.saved()
            if state["reads"] and saved is None:
                raise InvalidArgumentError(
                    f"The iterator that is restored was reading the snapshot {self._snapshot.path}, which does not exist."
                )
            self._reads = bool(state["reads"])
            self._stage = self._snapshot.opened(saved) if self._reads and saved else self._snapshot.parents[0]
        self._walk = self._start()
        self._walk.set_state(state["source"])
        self._count = state["count"]

    def _abandon(self) -> None:
        if self._writer is not None:
            self._writer.abandon()
            self._writer = None

    def close(self) -> None:
        """Removes an unfinished snapshot, and closes the parent iterators."""
        self._abandon()
        super().close()
