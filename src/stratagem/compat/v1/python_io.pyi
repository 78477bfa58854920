# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data.files import TFRecordOptions as TFRecordOptions
from stratagem._data.files import TFRecordWriter as TFRecordWriter
from stratagem._tf1.graph.functions.records import TFRecordCompressionType as TFRecordCompressionType
from stratagem._tf1.graph.functions.records import tf_record_iterator as tf_record_iterator

__all__ = [
    "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"
]  # fmt: skip
