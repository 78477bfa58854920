"""The methods of datasets that keep elements in folders: save, load and snapshot."""

import abc
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from stratagem._base.errors import InvalidArgumentError, NotFoundError
from stratagem._base.paths import local_path
from stratagem._base.types import PathLike
from stratagem._core.context import current
from stratagem._data import _plan as plan
from stratagem._data._dataset_base import DatasetBase, stage_of
from stratagem._data.caching._saved import (
    SavedDataset,
    SavedDatasetWriter,
    is_compressed,
    read_saved,
)
from stratagem._data.caching._snapshot import SnapshotStage
from stratagem._data.caching._tensorflow_saved import read_tensorflow_saved
from stratagem._data.elements._nest import kinds_of
from stratagem._data.elements._spec import DatasetSpec
from stratagem._data.functions._shard_function import ShardFunction
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._buffers import ListStage
from stratagem._data.stages._choose import ChooseStage
from stratagem._data.stages._columns import RangeColumns
from stratagem._data.stages._file_names import names_in
from stratagem._data.stages._inspected_elements import AssertCardinalityStage
from stratagem._data.stages._stage import Stage

_CHECKPOINT_ARGUMENTS = {
    "checkpoint_interval",
    "step_counter",
    "directory",
    "max_to_keep",
    "keep_checkpoint_every_n_hours",
}


class Saving(DatasetBase, abc.ABC):
    """Elements in folders."""

    def save(
        self,
        path: PathLike,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: dict[str, Any] | None = None,
    ) -> None:
        """Writes all elements to a folder, in this library's own format; what was saved there before is replaced.

        Args:
            path: The folder; it is made if it does not exist.
            compression: None or "AUTO"; with "GZIP" or "SNAPPY" elements are compressed, both by zlib.
            shard_func: Returns the number of the shard in which an element is written, an int64 scalar; else there is one.
            checkpoint_args: Accepted without effect: saving that is interrupted leaves what was there before.

        Raises:
            TypeError: the elements hold datasets or SparseTensors.
            InvalidArgumentError: another compression; `shard_func` returns something else.
        """
        recorder = current().recorder
        if recorder is not None:
            recorder.need_host("it saves a dataset")
        if checkpoint_args is not None and not checkpoint_args.keys() <= _CHECKPOINT_ARGUMENTS:
            raise TypeError(f"`checkpoint_args` takes {sorted(_CHECKPOINT_ARGUMENTS)}, got {sorted(checkpoint_args)}.")
        (folder,) = map(local_path, names_in(path, "path"))
        compress = is_compressed(compression)
        shard = ShardFunction(self._stage, None if shard_func is None else UserFunction(shard_func, "shard_func"))
        writer = SavedDatasetWriter(folder, self._stage.spec, compress=compress)
        walk = self._stage.walk()
        try:
            for position, element in enumerate(walk):
                writer.write(element, shard(element, position))
            writer.complete()
        finally:
            walk.close()
            writer.abandon()

    @classmethod
    def load(
        cls,
        path: PathLike,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None,
    ) -> Self:
        """The elements that `save` has written to a folder, here or in TensorFlow (without compression, or with GZIP).

        Args:
            path: The folder.
            element_spec: Checked against what was saved.
            compression: Unused: the files tell.
            reader_func: Makes a dataset from the dataset of the shards, which are datasets; else they take turns.

        Raises:
            NotFoundError: nothing was saved there.
            InvalidArgumentError: `element_spec` has another structure or other dtypes.
            TypeError: `reader_func` does not return a dataset.
        """
        (folder,) = map(local_path, names_in(path, "path"))
        saved = read_saved(folder) or read_tensorflow_saved(folder)
        if saved is None:
            raise NotFoundError(f"{folder}: no dataset was saved there. Write one with `dataset.save`.")
        if element_spec is not None and kinds_of(element_spec) != kinds_of(saved.spec):
            raise InvalidArgumentError(
                f"{folder} holds elements of {saved.spec}, and `element_spec` is {element_spec}."
            )
        return cls._of(cls._opened(saved, reader_func))

    def snapshot(
        self,
        path: PathLike,
        compression: str | None = "AUTO",
        reader_func: Callable[[Any], Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Writes the elements of the first complete iteration to a folder, from which later ones and programs read them.

        Args:
            path: The folder, one for this pipeline alone: what is there is taken for its elements.
            compression: As for `save`.
            reader_func: Makes a dataset from the dataset of the shards, to read them; else they take turns.
            shard_func: Returns the number of the shard in which an element is written, an int64 scalar; else there is one.
            name: Unused.

        Raises:
            InvalidArgumentError: while iterating; what is there has another structure or other dtypes.
        """
        (folder,) = map(local_path, names_in(path, "path"))
        compress = is_compressed(compression)
        shard = None if shard_func is None else UserFunction(shard_func, "shard_func")
        make = type(self)
        stage = SnapshotStage(
            self._stage,
            folder,
            lambda parent: ShardFunction(parent, shard),
            lambda saved: make._opened(saved, reader_func),
            compress=compress,
            runs_user_code=shard is not None or reader_func is not None,
        )
        return self._with(stage)

    @classmethod
    def _opened(cls, saved: SavedDataset, reader_func: Callable[[Any], Any] | None) -> Stage:
        """The plan that reads a saved dataset."""
        shards = saved.shards
        if reader_func is not None:
            read = UserFunction(reader_func, "reader_func").function
            datasets = ListStage([cls._of(shard) for shard in shards], lambda: DatasetSpec(saved.spec))
            return stage_of(read(cls._of(datasets)), TypeError("`reader_func` must return a `tf.data.Dataset`."))
        if not shards:
            return ListStage([], lambda: saved.spec)
        if len(shards) == 1:
            return shards[0] if shards[0].cardinality == saved.count else AssertCardinalityStage(shards[0], saved.count)
        turns = plan.repeat(plan.rows(RangeColumns(0, 1, len(shards), np.dtype(np.int64))), -1)
        return AssertCardinalityStage(ChooseStage(turns, shards, stop_on_empty=False), saved.count)
