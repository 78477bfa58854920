# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data import AUTOTUNE as AUTOTUNE
from stratagem._data import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data import Dataset as Dataset
from stratagem._data import DatasetIterator as Iterator
from stratagem._data import DatasetSpec as DatasetSpec
from stratagem._data import IteratorSpec as IteratorSpec
from stratagem._data import NumpyIterator as NumpyIterator
from stratagem._data import Options as Options
from stratagem._data import ThreadingOptions as ThreadingOptions
from stratagem._data.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from stratagem._data.files import TextLineDataset as TextLineDataset
from stratagem._data.files import TFRecordDataset as TFRecordDataset
from stratagem.data import experimental as experimental

__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "UNKNOWN_CARDINALITY", "experimental"
]  # fmt: skip
