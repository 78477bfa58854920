"""tf.data's classes of datasets that are read from files."""

from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._data._dataset import Dataset
from stratagem._data.files._bytes import checked_compression
from stratagem._data.files._format import STRING, Format
from stratagem._data.files._plain_formats import FixedLengthRecordFormat, TextLineFormat
from stratagem._data.files._read_files import ReadFiles
from stratagem._data.files._tfrecord import TFRecords
from stratagem._data.stages._file_names import FileNames, names_in
from stratagem._data.stages._options import AUTOTUNE, Options
from stratagem._data.stages._order import StraightOrder
from stratagem._data.stages._stage import OrderedRowsStage, Stage


@exported("data.TFRecordDataset")
@final
class TFRecordDataset(Dataset):
    """The records of TFRecord files, as scalar strings.

    filenames: a name, several, or a dataset of names. compression_type: "", "GZIP" or "ZLIB".
    buffer_size: the bytes read at once. num_parallel_reads: this many files are read in turn, a record each; the order is
    always the same, and AUTOTUNE reads one file after another.
    While iterating, DataLossError names the file, record and byte of damage, and NotFoundError a missing file.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(*reading(filenames, TFRecords(), compression_type, buffer_size, num_parallel_reads))


@exported("data.TextLineDataset")
@final
class TextLineDataset(Dataset):
    """The lines of text files without line ends, as scalar strings. Arguments and errors are those of `TFRecordDataset`."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(*reading(filenames, TextLineFormat(), compression_type, buffer_size, num_parallel_reads))


@exported("data.FixedLengthRecordDataset")
@final
class FixedLengthRecordDataset(Dataset):
    """Records of `record_bytes` bytes each, as scalar strings, between a header and a footer of each file.

    Other arguments and errors are those of `TFRecordDataset`. InvalidArgumentError: a file holds a partial record.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        format = FixedLengthRecordFormat(int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0))
        super().__init__(*reading(filenames, format, compression_type, buffer_size, num_parallel_reads))


@exported("data.experimental.ignore_errors")
def ignore_errors(log_warning: bool = False) -> Callable[[Dataset], Dataset]:
    """`dataset.ignore_errors` as an argument for `dataset.apply`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def reading(
    filenames: Any, format: Format, compression_type: Any, buffer_size: Any, parallel: Any
) -> tuple[Stage, Options | None]:
    """The plan of the dataset of the records of files, and its options, which are those of a dataset of the names.

    Raises:
        TypeError: `filenames` are not names.
        InvalidArgumentError: another argument is out of its range.
    """
    cycle = 1 if parallel is None or int(parallel) == AUTOTUNE else int(parallel)
    if cycle < 1:
        raise InvalidArgumentError(f"`num_parallel_reads` must be greater than zero, or AUTOTUNE, got {cycle}.")
    piece = None if buffer_size is None else int(buffer_size)
    if piece is not None and piece < 0:
        raise InvalidArgumentError(f"`buffer_size` must be >= 0 (0 == default), got {piece}.")
    compression = checked_compression(compression_type)
    stage = ReadFiles(_names(filenames), format, compression=compression, piece=piece, cycle=cycle)
    return stage, filenames.options() if isinstance(filenames, Dataset) else None


def _names(filenames: Any) -> Stage:
    if not isinstance(filenames, Dataset):
        return FileNames(names_in(filenames))
    stage = filenames.stage
    # The spec of user code is found out by running it, which is too early here.
    if stage.pure and stage.spec != STRING:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset of "
            f"element spec {stage.spec}."
        )
    if isinstance(stage, OrderedRowsStage) and isinstance(stage.order, StraightOrder):
        return FileNames(names_in(stage.columns.gather(np.arange(stage.cardinality))))
    return stage
