# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data import AUTOTUNE as AUTOTUNE
from stratagem._data import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data import Dataset as Dataset
from stratagem._data import DatasetSpec as DatasetSpec
from stratagem._data import NumpyIterator as NumpyIterator
from stratagem._data import Options as Options
from stratagem._data import ThreadingOptions as ThreadingOptions
from stratagem._data.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from stratagem._data.files import TextLineDataset as TextLineDataset
from stratagem._data.files import TFRecordDataset as TFRecordDataset
from stratagem._tf1.graph import GraphIterator as Iterator
from stratagem._tf1.graph import get_output_classes as get_output_classes
from stratagem._tf1.graph import get_output_shapes as get_output_shapes
from stratagem._tf1.graph import get_output_types as get_output_types
from stratagem._tf1.graph import make_initializable_iterator as make_initializable_iterator
from stratagem._tf1.graph import make_one_shot_iterator as make_one_shot_iterator
from stratagem.data import experimental as experimental

__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions", "UNKNOWN_CARDINALITY",
    "experimental", "get_output_classes", "get_output_shapes", "get_output_types", "make_initializable_iterator",
    "make_one_shot_iterator"
]  # fmt: skip
