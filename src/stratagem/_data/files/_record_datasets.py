"""Datasets of serialized Examples, as batches of features; and datasets of strings, written as records."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._base.types import PathLike
from stratagem._core.values import TensorSpec
from stratagem._data._dataset import Dataset
from stratagem._data.files._datasets import TFRecordDataset
from stratagem._data.files._features import FeatureParser
from stratagem._data.files._format import STRING
from stratagem._data.files._parse import parse_example
from stratagem._data.files._writer import TFRecordWriter
from stratagem._data.stages._file_names import FileNames, matching, names_in
from stratagem._data.stages._options import AUTOTUNE
from stratagem._data.stages._seeds import EpochSeeds


@exported("data.experimental.parse_example_dataset")
def parse_example_dataset(
    features: Mapping[str, FeatureParser], num_parallel_calls: Any = 1, deterministic: object = None
) -> Callable[[Dataset], Dataset]:
    """`dataset.map` with `tf.io.parse_example`, of batches of serialized Examples.

    Raises:
        ValueError: `features` is empty.
        TypeError: when it is applied; the elements are no vectors of strings.
    """
    if not features:
        raise ValueError("Argument `features` is required, but not specified. Name the features to parse.")

    def parsed(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != object or spec.shape.rank != 1:
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings, found {spec}. Use `batch` before."
            )
        return dataset.map(lambda batch: parse_example(batch, features), num_parallel_calls)

    return parsed


@exported("data.experimental.make_batched_features_dataset")
def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: Mapping[str, FeatureParser],
    reader: Callable[..., Any] | None = None,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of the features of the Examples in files, by name; with `label_key`, pairs of such a dict and that feature.

    reader: makes a dataset of serialized Examples, or of pairs of a key and one, of a file's name and `reader_args`;
    TFRecordDataset if None. Without `num_epochs` the dataset repeats forever, in full batches. `reader_num_threads` files are
    read in turn, an Example each; 1 if None. The other arguments are TensorFlow's. The order does not depend on
    `sloppy_ordering`.

    Raises:
        ValueError: `label_key` is none of the features.
        InvalidArgumentError: no file matches.
    """
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {list(features)}."
        )
    files = matching(names_in(file_pattern))
    names = Dataset(FileNames(files, EpochSeeds(shuffle_seed, reshuffle=True) if shuffle else None))
    cycle = 1 if reader_num_threads in (None, AUTOTUNE) else reader_num_threads
    arguments = tuple(reader_args or ())
    read = TFRecordDataset if reader is None else reader
    records: Dataset
    if read is TFRecordDataset and not arguments:
        records = TFRecordDataset(names, num_parallel_reads=cycle)
    else:
        records = names.interleave(lambda name: read(name, *arguments), cycle_length=cycle)
    if isinstance(records.element_spec, tuple):
        records = records.map(lambda _, value: value)
    if shuffle:
        records = records.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        records = records.repeat(num_epochs)
    batches = records.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    parse = parse_example_dataset(features, 1 if parser_num_threads is None else parser_num_threads)
    parsed = batches.apply(parse)
    if label_key is not None:
        parsed = parsed.map(lambda found: ({k: v for k, v in found.items() if k != label_key}, found[label_key]))
    return parsed.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


@exported("data.experimental.TFRecordWriter")
@final
class DatasetTFRecordWriter:
    """Writes the elements of a dataset of strings to one TFRecord file. compression_type: "", "GZIP" or "ZLIB"."""

    def __init__(self, filename: PathLike, compression_type: str | None = None) -> None:
        self._filename = filename
        self._compression = compression_type

    def write(self, dataset: Dataset) -> None:
        """Writes the file, and replaces what was there.

        Raises:
            TypeError: not a dataset, or one whose elements are no scalar strings.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"Invalid `dataset`. Expected a `tf.data.Dataset` object, got {type(dataset).__name__}.")
        if dataset.element_spec != STRING:
            raise TypeError(
                "Invalid `dataset`. Expected a `dataset` that produces scalar `tf.string` elements, found "
                f"{dataset.element_spec}. Serialize them first, with `map`."
            )
        with TFRecordWriter(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)
