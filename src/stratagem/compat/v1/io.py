"""tf.compat.v1.io: the names of tf.io, some with other arguments."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.records import TFRecordCompressionType as TFRecordCompressionType
from stratagem._tf1.graph.functions.records import tf_record_iterator as tf_record_iterator
from stratagem._tf1.graph.functions.reordered import decode_csv as decode_csv
from stratagem._tf1.graph.functions.reordered import decode_raw as decode_raw
from stratagem._tf1.graph.functions.reordered import parse_example as parse_example
from stratagem._tf1.graph.functions.reordered import parse_single_example as parse_single_example
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("io", name)
