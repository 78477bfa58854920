"""The methods of datasets that change the selection, order and timing of elements, but not the elements themselves."""

import abc
from typing import Any, Self

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.paths import local_path
from stratagem._data import _plan as plan
from stratagem._data._dataset_base import DatasetBase, as_int, seed_of, stage_of
from stratagem._data.caching._file_cache import FileCacheStage
from stratagem._data.elements._nest import kinds_of
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._file_names import names_in
from stratagem._data.stages._ignore_errors import IgnoreErrorsStage
from stratagem._data.stages._inspected_elements import UniqueStage
from stratagem._data.stages._options import AUTOTUNE, SHARD_HINT
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._steps import ConcatenateStage, ShardHint

_AUTOTUNE_DEPTH = 2
_EVERYTHING = 1 << 62


class DatasetOrder(DatasetBase, abc.ABC):
    """The order, number and preparation of elements."""

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Draws elements at random from a buffer of this size, by default in another order in every iteration.

        UNKNOWN_CARDINALITY as the size shuffles everything.
        """
        size = as_int(buffer_size, "buffer_size")
        if size < 1 and size != UNKNOWN:
            raise InvalidArgumentError(f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}.")
        seeds = EpochSeeds(seed_of(seed), reshuffle=reshuffle_each_iteration is not False)
        return self._with(plan.shuffle(self._stage, _EVERYTHING if size == UNKNOWN else size, seeds))

    def repeat(self, count: Any = None, name: str | None = None) -> Self:
        """Repeats all elements `count` times; None or -1 repeats forever."""
        return self._with(plan.repeat(self._stage, -1 if count is None else as_int(count, "count")))

    def take(self, count: Any, name: str | None = None) -> Self:
        """At most the first `count` elements; -1 takes all."""
        return self._with(plan.cut(self._stage, count=as_int(count, "count")))

    def skip(self, count: Any, name: str | None = None) -> Self:
        """All elements after the first `count`; -1 skips all."""
        start = as_int(count, "count")
        return self._with(plan.cut(self._stage, count=0) if start < 0 else plan.cut(self._stage, start=start))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Self:
        """Every `num_shards`-th element, starting at `index`. SHARD_HINT: determined by a strategy with policy HINT."""
        shards, first = as_int(num_shards, "num_shards"), as_int(index, "index")
        if shards == SHARD_HINT:
            return self._with(ShardHint(self._stage))
        if shards < 1:
            raise InvalidArgumentError(f"Number of shards must be greater than zero (currently num_shards = {shards}).")
        if not 0 <= first < shards:
            raise InvalidArgumentError(f"Index must be between 0 and {shards - 1} (currently index = {first}).")
        return self._with(plan.cut(self._stage, start=first, step=shards))

    def concatenate(self, dataset: DatasetBase, name: str | None = None) -> Self:
        """These elements, then those of another dataset."""
        other = stage_of(dataset, TypeError(f"`concatenate` takes a Dataset, got {type(dataset).__name__}."))
        # The spec of user code is found out by running it, which is too early here.
        if self._stage.pure and other.pure:
            mine, theirs = self._stage.spec, other.spec
            if kinds_of(mine) != kinds_of(theirs):
                raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.   {theirs}")
        return self._with(ConcatenateStage(self._stage, other))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Self:
        """Pairs of an increasing int64 number and an element."""
        return self._with(plan.enumerated(self._stage, as_int(start, "start")))

    def unique(self, name: str | None = None) -> Self:
        """Each distinct element at its first occurrence: int32, int64 or string tensors."""
        return self._with(UniqueStage(self._stage))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """The elements that can be computed; those that raise are skipped, and counted in the log at the end.

        A batch with a bad element is skipped completely, so call this before `batch`, and before `shuffle`.
        log_warning: log every error as well.
        """
        return self._with(IgnoreErrorsStage(self._stage, log_each=bool(log_warning)))

    def cache(self, filename: Any = "", name: str | None = None) -> Self:
        """Caches the elements of the first complete iteration: in memory, or in a file that later programs use too.

        filename: the path of the file without its suffix `.cache`; "" is memory. An existing file is used, and
        refused with an InvalidArgumentError if its elements have another structure or other dtypes.
        """
        names = [local_path(name) for name in names_in(filename, "filename")]
        if len(names) != 1:
            raise TypeError(f"`filename` must be one name, got {len(names)}: {names!r:.200}.")
        (path,) = names
        return self._with(FileCacheStage(self._stage, path) if path else plan.cache(self._stage))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Self:
        """Makes elements ahead in a thread, but not those in memory. AUTOTUNE keeps two ready, or more that are small."""
        size = as_int(buffer_size, "buffer_size")
        if size < AUTOTUNE:
            raise InvalidArgumentError(f"buffer_size must be at least 0, or AUTOTUNE, got {size}.")
        if size == AUTOTUNE:
            return self._with(plan.prefetch(self._stage, _AUTOTUNE_DEPTH, grows=True))
        return self._with(plan.prefetch(self._stage, size))
