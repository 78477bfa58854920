"""Converts everything that `fit` accepts as data to batches of a strategy, epoch after epoch."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, final

import keras
import numpy as np

from stratagem._data import (
    INFINITE_CARDINALITY,
    Batching,
    Dataset,
    DistributedInput,
    as_dataset,
    rows_in,
    with_spare_values,
)
from stratagem._private import data_adapter
from stratagem._strategies import AbstractStrategy
from stratagem._training._array_preparation import adding_class_weights, checked_arrays, is_arrays, packed
from stratagem._training._data_arguments import DataArguments, DatasetCreator

_BATCH = 32  # Keras' default


@final
@dataclass(eq=False)
class BatchSource:
    """Batches for the replicas.

    source: iterated anew for every epoch; with `continues`, one iterator serves all epochs.
    batches: the number of batches of one iteration, if known.
    steps: the number of batches of an epoch, if known.
    began, ended: called when an iteration begins, and when an epoch ends.
    """

    source: Any
    batches: int | None
    steps: int | None
    continues: bool = False
    began: Callable[[], None] = lambda: None
    ended: Callable[[], None] = lambda: None
    iterator: Any = field(default=None, init=False)
    _used: bool = field(default=True, init=False)

    @functools.cached_property
    def batching(self) -> Batching:
        """The sizes of its batches, and whether a position counts their rows."""
        if isinstance(self.source, DistributedInput):
            return self.source.batching
        return Batching.of(self.source.stage, counts_rows=self.source.stage.counts_rows)

    @property
    def steps_are_given(self) -> bool:
        """True if an epoch has a number of batches that is not that of one iteration."""
        return self.steps != self.batches

    def epoch(self) -> Any:
        """The iterator for the epoch that begins now."""
        if self._used and not (self.continues and self.iterator is not None):
            self.began()
            self.iterator = iter(self.source)
        self._used = True
        return self.iterator

    def begin(self) -> Any:
        """Prepares the next epoch and returns its iterator."""
        iterator, self._used = self.epoch(), False
        return iterator

    def peek(self) -> Any:
        """The first batch of the next epoch, without consuming it. Raises ValueError if there is none."""
        try:
            return self.begin().peek()
        except StopIteration:
            raise ValueError("The data has no batches: nothing to run on.") from None

    def restore(self, state: Any, *, within: bool) -> None:
        """Continues the next epoch where another process's iterator was, `within` an epoch or at its end."""
        iterator, self._used = self.epoch(), not within and not self.continues
        try:
            iterator.move_to(state)
        except StopIteration:  # an end that counts batches is behind that of fewer, larger ones
            if not self._used:
                raise


def open_feed(data: DataArguments, strategy: AbstractStrategy, *, continues: bool) -> BatchSource:
    """The feed of some data under a strategy.

    continues: an epoch with fewer steps than the data continues where the previous one ended; else each starts from the
    beginning.

    Raises:
        ValueError: contradictory arguments, arrays of different lengths, or an invalid batch size.
        TypeError: data of a kind that cannot be read.
    """
    feed = _make_feed(data, strategy)
    # As in TF: an epoch with as many steps as the data has batches is a new pass. An iterator has no second pass.
    continuing = continues and data.steps is not None and data.steps != feed.batches
    feed.continues = continuing or isinstance(data.x, Iterator)
    return feed


def _make_feed(data: DataArguments, strategy: AbstractStrategy) -> BatchSource:
    _check_numbers(data)
    if isinstance(data.x, DistributedInput):
        _refuse_arguments(data, "a distributed dataset", "y", "sample_weight", "class_weight", "batch_size")
        return _feed(data.x, int(data.x.cardinality), data.steps)
    if isinstance(data.x, DatasetCreator):
        _refuse_arguments(data, "a DatasetCreator", "y", "sample_weight", "class_weight", "batch_size")
        if data.steps is None:
            raise ValueError(
                "With a DatasetCreator as `x`, give `steps_per_epoch` (`steps`): its data has no known end."
            )
        made = strategy.distribute_datasets_from_function(data.x.dataset_fn, data.x.input_options)
        return _feed(made, -1, data.steps)
    if isinstance(data.x, Dataset):
        _refuse_arguments(data, "a Dataset", "y", "sample_weight", "batch_size")
        dataset = data.x if data.class_weight is None else data.x.map(adding_class_weights(data.class_weight))
        return _distributed(dataset, data, strategy)
    if is_arrays(data.x):
        return _distributed(_from_arrays(data, strategy), data, strategy)
    return _foreign(data, strategy)


def _distributed(dataset: Dataset, data: DataArguments, strategy: AbstractStrategy) -> BatchSource:
    if data.steps is None and int(dataset.cardinality()) == INFINITE_CARDINALITY:
        raise ValueError(
            "The dataset repeats without end: say how many batches an epoch has (`steps_per_epoch`, `steps`)."
        )
    source = strategy.experimental_distribute_dataset(dataset)
    if isinstance(source, Dataset):  # the default strategy divides nothing
        source = with_spare_values(source)
    return _feed(source, int(dataset.cardinality()), data.steps)


def _feed(source: Any, cardinality: int, steps: int | None) -> BatchSource:
    batches = cardinality if cardinality >= 0 else None
    return BatchSource(source, batches, batches if steps is None else steps)


def _check_numbers(data: DataArguments) -> None:
    for name in ("batch_size", "steps"):
        value = getattr(data, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1):
            raise ValueError(f"{name} must be a positive whole number or None, got {value!r}.")


def _refuse_arguments(data: DataArguments, kind: str, *names: str) -> None:
    for name in names:
        if getattr(data, name) is not None:
            raise ValueError(f"With {kind} as `x`, `{name}` must not be given: its elements have everything.")


def _from_arrays(data: DataArguments, strategy: AbstractStrategy) -> Dataset:
    arrays = packed(checked_arrays(data))
    dataset = Dataset.from_tensor_slices(arrays)
    if data.shuffle == "batch":
        raise ValueError('shuffle="batch" is for HDF5 files, which no dataset here reads. Use shuffle=True or False.')
    if data.shuffle:
        dataset = dataset.shuffle(rows_in(arrays), seed=_seed(strategy))
    dataset = dataset.batch(data.batch_size or _BATCH)
    # As in Keras 3, with arrays `steps_per_epoch` may exceed the number of batches: they start again.
    return dataset if data.steps is None else dataset.repeat()


def _seed(strategy: AbstractStrategy) -> int:
    """A seed for the order of examples: the same on all workers, repeatable with `keras.utils.set_random_seed`."""
    return int(strategy.mesh.job.agree("the order of the examples", int(np.random.randint(2**31)))[0])


def _foreign(data: DataArguments, strategy: AbstractStrategy) -> BatchSource:
    """The feed of a `keras.utils.PyDataset`, a generator, or a dataset of another library."""
    kind = f"a {type(data.x).__name__}"
    _refuse_arguments(data, kind, "y", "sample_weight")
    if not isinstance(data.x, keras.utils.PyDataset):
        source = map(_packed_element, data.x) if isinstance(data.x, Iterator) else data.x
        dataset = as_dataset(source, data.batch_size)
        dataset = dataset if data.class_weight is None else dataset.map(adding_class_weights(data.class_weight))
        return _distributed(dataset, data, strategy)
    _refuse_arguments(data, kind, "batch_size")
    source = _ShuffledPyDataset(data.x, _seed(strategy)) if data.shuffle and data.x.num_batches else data.x
    adapter = data_adapter(source, class_weight=data.class_weight, shuffle=False)
    dataset = as_dataset(functools.partial(_elements, adapter))
    distributed = strategy.experimental_distribute_dataset(dataset)
    batches = adapter.num_batches
    feed = _feed(distributed, -1 if batches is None else batches, data.steps)
    feed.began, feed.ended = adapter.on_epoch_begin, adapter.on_epoch_end
    return feed


def _packed_element(element: Any) -> Any:
    return packed(element) if isinstance(element, tuple) else element


def _elements(adapter: Any) -> Iterator[Any]:
    for batch in adapter.get_numpy_iterator():
        yield packed(tuple(v for v in batch if v is not None)) if isinstance(batch, list | tuple) else batch


@final
class _ShuffledPyDataset(keras.utils.PyDataset):  # type: ignore[misc]
    """The batches of a finite PyDataset, in an order that differs from epoch to epoch and is the same on all workers."""

    def __init__(self, source: Any, seed: int) -> None:
        super().__init__(source.workers, source.use_multiprocessing, source.max_queue_size)
        self._source, self._random = source, np.random.default_rng(seed)
        self._order = self._random.permutation(source.num_batches)

    @property
    def num_batches(self) -> int:
        return int(self._source.num_batches)

    def __getitem__(self, index: int) -> Any:
        return self._source[int(self._order[index])]

    def on_epoch_begin(self) -> None:
        self._source.on_epoch_begin()

    def on_epoch_end(self) -> None:
        self._source.on_epoch_end()
        self._order = self._random.permutation(self._source.num_batches)
