"""tf.data."""

from typing import Any

from stratagem._ops import not_provided
from stratagem.data import experimental as experimental
from stratagem.pipeline import AUTOTUNE as AUTOTUNE
from stratagem.pipeline import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem.pipeline import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem.pipeline import Dataset as Dataset
from stratagem.pipeline import DatasetIterator as Iterator  # noqa: F401
from stratagem.pipeline import DatasetSpec as DatasetSpec
from stratagem.pipeline import NumpyIterator as NumpyIterator
from stratagem.pipeline import Options as Options
from stratagem.pipeline import ThreadingOptions as ThreadingOptions
from stratagem.pipeline.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from stratagem.pipeline.files import TextLineDataset as TextLineDataset
from stratagem.pipeline.files import TFRecordDataset as TFRecordDataset


def __getattr__(name: str) -> Any:
    raise not_provided("data", name)
