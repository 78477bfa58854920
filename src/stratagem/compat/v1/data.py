"""tf.compat.v1.data."""

from typing import Any

from stratagem._ops import not_provided
from stratagem.pipeline import AUTOTUNE as AUTOTUNE
from stratagem.pipeline import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem.pipeline import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem.pipeline import Dataset as Dataset
from stratagem.pipeline import DatasetIterator as Iterator  # noqa: F401
from stratagem.pipeline import Options as Options
from stratagem.pipeline import ThreadingOptions as ThreadingOptions
from stratagem.pipeline.files import FixedLengthRecordDataset as FixedLengthRecordDataset
from stratagem.pipeline.files import TextLineDataset as TextLineDataset
from stratagem.pipeline.files import TFRecordDataset as TFRecordDataset


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """`dataset.make_one_shot_iterator()`."""
    return dataset.make_one_shot_iterator()


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1.data", name)
