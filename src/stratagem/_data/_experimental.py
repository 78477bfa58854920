"""The functions of tf.data.experimental that became methods: `dataset.apply(unbatch())` is `dataset.unbatch()`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, PathLike, ShapeLike
from stratagem._core.values import Tensor
from stratagem._data._dataset import Dataset
from stratagem._data._dataset_base import as_int
from stratagem._data._iterator import ElementIterator, Optional
from stratagem._data.elements._nest import convert, kinds_of, map_leaves, spec_of
from stratagem._data.elements._spec import merged
from stratagem._data.stages._buffers import ListStage
from stratagem._data.stages._inspected_elements import AssertCardinalityStage

Transformation = Callable[[Dataset], Dataset]


@exported("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """The same elements with a known number; FailedPreconditionError while iterating if the number is wrong."""
    expected = as_int(expected_cardinality, "expected_cardinality")
    return lambda dataset: Dataset(AssertCardinalityStage(dataset.stage, expected), dataset.options())


@exported("data.experimental.unbatch")
def unbatch() -> Transformation:
    """`Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


@exported("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: DTypeLike = np.int64
) -> Transformation:
    """The former name of `Dataset.ragged_batch`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


@exported("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size: Any, row_shape: ShapeLike) -> Transformation:
    """The former name of `Dataset.sparse_batch`."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


@exported("data.experimental.unique")
def unique() -> Transformation:
    """`Dataset.unique`."""
    return lambda dataset: dataset.unique()


@exported("data.experimental.enumerate_dataset")
def enumerate_dataset(start: Any = 0) -> Transformation:
    """`Dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


@exported("data.experimental.take_while")
def take_while(predicate: Callable[..., Any]) -> Transformation:
    """`Dataset.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


@exported("data.experimental.scan")
def scan(initial_state: Any, scan_func: Callable[[Any, Any], Any]) -> Transformation:
    """`Dataset.scan`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


@exported("data.experimental.group_by_window")
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[[Any, Any], Any],
    window_size: Any = None,
    window_size_func: Callable[[Any], Any] | None = None,
) -> Transformation:
    """`Dataset.group_by_window`."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


@exported("data.experimental.bucket_by_sequence_length")
def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """`Dataset.bucket_by_sequence_length`."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


@exported("data.experimental.rejection_resample")
def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """`Dataset.rejection_resample`."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


@exported("data.experimental.snapshot")
def snapshot(
    path: PathLike,
    compression: str | None = "AUTO",
    reader_func: Callable[[Dataset], Dataset] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """`Dataset.snapshot`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


@exported("data.experimental.save")
def save(
    dataset: Dataset,
    path: PathLike,
    compression: str | None = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: dict[str, Any] | None = None,
) -> None:
    """`Dataset.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


@exported("data.experimental.load")
def load(
    path: PathLike,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Callable[[Dataset], Dataset] | None = None,
) -> Dataset:
    """`Dataset.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


@exported("data.experimental.map_and_batch")
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: object = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`Dataset.map`, then `Dataset.batch`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


@exported("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`Dataset.shuffle`, then `Dataset.repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@exported("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: object = None,
    prefetch_input_elements: object = None,
) -> Transformation:
    """`Dataset.interleave` with `cycle_length` threads, always in the same order."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length)


@exported("data.experimental.choose_from_datasets")
def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """`Dataset.choose_from_datasets`, with another default of `stop_on_empty_dataset`."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@exported("data.experimental.sample_from_datasets")
def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """`Dataset.sample_from_datasets`."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@exported("data.experimental.Counter")
def Counter(start: Any = 0, step: Any = 1, dtype: DTypeLike = np.int64) -> Dataset:
    """`Dataset.counter`."""
    return Dataset.counter(start, step, dtype)


@exported("data.experimental.from_list")
def from_list(elements: list[Any], name: str | None = None) -> Dataset:
    """The elements of a list, which must have one structure; their shapes may differ.

    Raises:
        ValueError: not a list, or an empty one.
        TypeError: elements of different structure or dtypes.
    """
    if not isinstance(elements, list):
        raise ValueError(f"Invalid `elements`. `elements` must be a list, got {type(elements).__name__}.")
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    converted = [convert(element) for element in elements]
    spec = spec_of(converted[0])
    kinds = kinds_of(spec)
    for number, element in enumerate(converted):
        found = spec_of(element)
        if kinds_of(found) != kinds:
            raise TypeError(
                f"Invalid `elements`. Their structures and dtypes must be equal: the first has {spec_of(converted[0])}, and "
                f"number {number} has {found}."
            )
        spec = map_leaves(merged, spec, found)
    return Dataset(ListStage(converted, lambda: spec))


@exported("data.experimental.cardinality")
def cardinality(dataset: Dataset) -> Tensor:
    """`Dataset.cardinality`."""
    return dataset.cardinality()


@exported("data.experimental.get_single_element")
def get_single_element(dataset: Dataset) -> Any:
    """`Dataset.get_single_element`."""
    return dataset.get_single_element()


@exported("data.experimental.get_structure")
def get_structure(dataset_or_iterator: "Dataset | ElementIterator[Any]") -> Any:
    """The `element_spec` of a dataset or an iterator."""
    return dataset_or_iterator.element_spec


@exported("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: "ElementIterator[Any]") -> "Optional[Any]":
    """Calls the method `get_next_as_optional` of an iterator."""
    return iterator.get_next_as_optional()
