"""tf.data.experimental."""

from typing import Any

from stratagem._ops import not_provided
from stratagem.pipeline import AUTOTUNE as AUTOTUNE
from stratagem.pipeline import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem.pipeline import SHARD_HINT as SHARD_HINT
from stratagem.pipeline import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem.pipeline import AutoShardPolicy as AutoShardPolicy
from stratagem.pipeline import Counter as Counter
from stratagem.pipeline import DistributeOptions as DistributeOptions
from stratagem.pipeline import Optional as Optional
from stratagem.pipeline import ThreadingOptions as ThreadingOptions
from stratagem.pipeline import assert_cardinality as assert_cardinality
from stratagem.pipeline import bucket_by_sequence_length as bucket_by_sequence_length
from stratagem.pipeline import cardinality as cardinality
from stratagem.pipeline import choose_from_datasets as choose_from_datasets
from stratagem.pipeline import enumerate_dataset as enumerate_dataset
from stratagem.pipeline import from_list as from_list
from stratagem.pipeline import get_next_as_optional as get_next_as_optional
from stratagem.pipeline import get_single_element as get_single_element
from stratagem.pipeline import get_structure as get_structure
from stratagem.pipeline import group_by_window as group_by_window
from stratagem.pipeline import map_and_batch as map_and_batch
from stratagem.pipeline import parallel_interleave as parallel_interleave
from stratagem.pipeline import sample_from_datasets as sample_from_datasets
from stratagem.pipeline import scan as scan
from stratagem.pipeline import shuffle_and_repeat as shuffle_and_repeat
from stratagem.pipeline import take_while as take_while
from stratagem.pipeline import unbatch as unbatch
from stratagem.pipeline import unique as unique
from stratagem.pipeline.files import CsvDataset as CsvDataset
from stratagem.pipeline.files import ignore_errors as ignore_errors
from stratagem.pipeline.files import make_csv_dataset as make_csv_dataset


def __getattr__(name: str) -> Any:
    raise not_provided("data.experimental", name)
