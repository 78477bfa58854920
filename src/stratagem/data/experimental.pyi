# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._data import AUTOTUNE as AUTOTUNE
from stratagem._data import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data import SHARD_HINT as SHARD_HINT
from stratagem._data import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data import AutoShardPolicy as AutoShardPolicy
from stratagem._data import AutotuneAlgorithm as AutotuneAlgorithm
from stratagem._data import AutotuneOptions as AutotuneOptions
from stratagem._data import Counter as Counter
from stratagem._data import DistributeOptions as DistributeOptions
from stratagem._data import ExternalStatePolicy as ExternalStatePolicy
from stratagem._data import OptimizationOptions as OptimizationOptions
from stratagem._data import Optional as Optional
from stratagem._data import RandomDataset as RandomDataset
from stratagem._data import Reducer as Reducer
from stratagem._data import ThreadingOptions as ThreadingOptions
from stratagem._data import assert_cardinality as assert_cardinality
from stratagem._data import at as at
from stratagem._data import bucket_by_sequence_length as bucket_by_sequence_length
from stratagem._data import cardinality as cardinality
from stratagem._data import choose_from_datasets as choose_from_datasets
from stratagem._data import copy_to_device as copy_to_device
from stratagem._data import dense_to_ragged_batch as dense_to_ragged_batch
from stratagem._data import dense_to_sparse_batch as dense_to_sparse_batch
from stratagem._data import enable_debug_mode as enable_debug_mode
from stratagem._data import enumerate_dataset as enumerate_dataset
from stratagem._data import from_list as from_list
from stratagem._data import get_next_as_optional as get_next_as_optional
from stratagem._data import get_single_element as get_single_element
from stratagem._data import get_structure as get_structure
from stratagem._data import group_by_reducer as group_by_reducer
from stratagem._data import group_by_window as group_by_window
from stratagem._data import load as load
from stratagem._data import map_and_batch as map_and_batch
from stratagem._data import pad_to_cardinality as pad_to_cardinality
from stratagem._data import parallel_interleave as parallel_interleave
from stratagem._data import prefetch_to_device as prefetch_to_device
from stratagem._data import rejection_resample as rejection_resample
from stratagem._data import sample_from_datasets as sample_from_datasets
from stratagem._data import save as save
from stratagem._data import scan as scan
from stratagem._data import shuffle_and_repeat as shuffle_and_repeat
from stratagem._data import snapshot as snapshot
from stratagem._data import take_while as take_while
from stratagem._data import unbatch as unbatch
from stratagem._data import unique as unique
from stratagem._data.files import CsvDataset as CsvDataset
from stratagem._data.files import DatasetTFRecordWriter as TFRecordWriter
from stratagem._data.files import SqlDataset as SqlDataset
from stratagem._data.files import ignore_errors as ignore_errors
from stratagem._data.files import make_batched_features_dataset as make_batched_features_dataset
from stratagem._data.files import make_csv_dataset as make_csv_dataset
from stratagem._data.files import parse_example_dataset as parse_example_dataset

__all__ = [
    "AUTOTUNE", "AutoShardPolicy", "AutotuneAlgorithm", "AutotuneOptions", "Counter", "CsvDataset", "DistributeOptions",
    "ExternalStatePolicy", "INFINITE_CARDINALITY", "OptimizationOptions", "Optional", "RandomDataset", "Reducer",
    "SHARD_HINT", "SqlDataset", "TFRecordWriter", "ThreadingOptions", "UNKNOWN_CARDINALITY", "assert_cardinality", "at",
    "bucket_by_sequence_length", "cardinality", "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch",
    "dense_to_sparse_batch", "enable_debug_mode", "enumerate_dataset", "from_list", "get_next_as_optional",
    "get_single_element", "get_structure", "group_by_reducer", "group_by_window", "ignore_errors", "load",
    "make_batched_features_dataset", "make_csv_dataset", "map_and_batch", "pad_to_cardinality", "parallel_interleave",
    "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets", "save", "scan",
    "shuffle_and_repeat", "snapshot", "take_while", "unbatch", "unique"
]  # fmt: skip
