"""tf.data.experimental."""

from typing import Any as _Any

from stratagem._data import AUTOTUNE as AUTOTUNE
from stratagem._data import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data import SHARD_HINT as SHARD_HINT
from stratagem._data import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data import AutoShardPolicy as AutoShardPolicy
from stratagem._data import Counter as Counter
from stratagem._data import DistributeOptions as DistributeOptions
from stratagem._data import Optional as Optional
from stratagem._data import ThreadingOptions as ThreadingOptions
from stratagem._data import assert_cardinality as assert_cardinality
from stratagem._data import bucket_by_sequence_length as bucket_by_sequence_length
from stratagem._data import cardinality as cardinality
from stratagem._data import choose_from_datasets as choose_from_datasets
from stratagem._data import enumerate_dataset as enumerate_dataset
from stratagem._data import from_list as from_list
from stratagem._data import get_next_as_optional as get_next_as_optional
from stratagem._data import get_single_element as get_single_element
from stratagem._data import get_structure as get_structure
from stratagem._data import group_by_window as group_by_window
from stratagem._data import map_and_batch as map_and_batch
from stratagem._data import parallel_interleave as parallel_interleave
from stratagem._data import sample_from_datasets as sample_from_datasets
from stratagem._data import scan as scan
from stratagem._data import shuffle_and_repeat as shuffle_and_repeat
from stratagem._data import take_while as take_while
from stratagem._data import unbatch as unbatch
from stratagem._data import unique as unique
from stratagem._data.files import CsvDataset as CsvDataset
from stratagem._data.files import ignore_errors as ignore_errors
from stratagem._data.files import make_csv_dataset as make_csv_dataset
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("data.experimental", name)
