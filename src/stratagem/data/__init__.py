"""tf.data."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._data import AUTOTUNE as AUTOTUNE
from stratagem._data import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data import Dataset as Dataset
from stratagem._data import DatasetIterator as Iterator  # noqa: F401
from stratagem._data import DatasetSpec as DatasetSpec
from stratagem._data import IteratorSpec as IteratorSpec
from stratagem._data import NumpyIterator as NumpyIterator
from stratagem._data import Options as Options
from stratagem._data import ThreadingOptions as ThreadingOptions
from stratagem._data.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from stratagem._data.files import TextLineDataset as TextLineDataset
from stratagem._data.files import TFRecordDataset as TFRecordDataset
from stratagem._ops import not_provided as _not_provided
from stratagem.data import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("data", name)
