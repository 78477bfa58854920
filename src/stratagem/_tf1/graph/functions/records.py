"""The part of `tf.compat.v1.python_io` beside the writer: compressions by number, and the records of a file one by one."""

from collections.abc import Iterator
from typing import ClassVar, final

from stratagem._base.exports import exported
from stratagem._base.types import PathLike
from stratagem._data.files import TFRecordDataset, TFRecordOptions
from stratagem._tf1.graph._session_graph import outside_of_graphs


@exported(v1=["io.TFRecordCompressionType", "python_io.TFRecordCompressionType"])
@final
class TFRecordCompressionType:
    """The compressions of TFRecord files, as numbers that `tf.io.TFRecordOptions` takes in place of their names."""

    NONE: ClassVar = 0
    ZLIB: ClassVar = 1
    GZIP: ClassVar = 2


@exported(v1=["io.tf_record_iterator", "python_io.tf_record_iterator"])
def tf_record_iterator(path: PathLike, options: TFRecordOptions | str | int | None = None) -> Iterator[bytes]:
    """Returns an iterator over the records of a file, each as bytes, also where a graph is built.

    options: a TFRecordOptions, or just the compression, by name or number.

    Raises ValueError for another compression; when it is read, NotFoundError for a file that does not exist, DataLossError for
    a damaged one.
    """
    with outside_of_graphs():
        return _records(iter(TFRecordDataset(path, TFRecordOptions.get_compression_type_string(options))))


def _records(elements: Iterator[object]) -> Iterator[bytes]:
    while True:
        with outside_of_graphs():
            found = next(elements, None)
        if found is None:
            return
        yield bytes(getattr(found, "numpy", lambda found=found: found)())
