"""tf.compat.v1.python_io: TFRecord files, written and read record by record."""

from typing import Any as _Any

from stratagem._data.files import TFRecordOptions as TFRecordOptions
from stratagem._data.files import TFRecordWriter as TFRecordWriter
from stratagem._ops import not_provided as _not_provided
from stratagem._tf1.graph.functions.records import TFRecordCompressionType as TFRecordCompressionType
from stratagem._tf1.graph.functions.records import tf_record_iterator as tf_record_iterator


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat.v1.python_io", name)
