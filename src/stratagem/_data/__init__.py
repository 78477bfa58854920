"""Datasets as plans that tell where each element is, and their distribution over replicas and workers.

In: arrays, files, generators, datasets of other libraries; user functions to be mapped over elements.
Out: `Dataset` and its iterators, whose positions can be saved; `distribution` turns one into the input of each replica.
Never: runs a step, or waits for a worker without a limit.
"""

from stratagem._data._dataset import Dataset as Dataset
from stratagem._data._experimental import Counter as Counter
from stratagem._data._experimental import assert_cardinality as assert_cardinality
from stratagem._data._experimental import bucket_by_sequence_length as bucket_by_sequence_length
from stratagem._data._experimental import cardinality as cardinality
from stratagem._data._experimental import choose_from_datasets as choose_from_datasets
from stratagem._data._experimental import dense_to_ragged_batch as dense_to_ragged_batch
from stratagem._data._experimental import dense_to_sparse_batch as dense_to_sparse_batch
from stratagem._data._experimental import enumerate_dataset as enumerate_dataset
from stratagem._data._experimental import from_list as from_list
from stratagem._data._experimental import get_next_as_optional as get_next_as_optional
from stratagem._data._experimental import get_single_element as get_single_element
from stratagem._data._experimental import get_structure as get_structure
from stratagem._data._experimental import group_by_window as group_by_window
from stratagem._data._experimental import load as load
from stratagem._data._experimental import map_and_batch as map_and_batch
from stratagem._data._experimental import parallel_interleave as parallel_interleave
from stratagem._data._experimental import rejection_resample as rejection_resample
from stratagem._data._experimental import sample_from_datasets as sample_from_datasets
from stratagem._data._experimental import save as save
from stratagem._data._experimental import scan as scan
from stratagem._data._experimental import shuffle_and_repeat as shuffle_and_repeat
from stratagem._data._experimental import snapshot as snapshot
from stratagem._data._experimental import take_while as take_while
from stratagem._data._experimental import unbatch as unbatch
from stratagem._data._experimental import unique as unique
from stratagem._data._experimental_functions import RandomDataset as RandomDataset
from stratagem._data._experimental_functions import at as at
from stratagem._data._experimental_functions import copy_to_device as copy_to_device
from stratagem._data._experimental_functions import enable_debug_mode as enable_debug_mode
from stratagem._data._experimental_functions import group_by_reducer as group_by_reducer
from stratagem._data._experimental_functions import pad_to_cardinality as pad_to_cardinality
from stratagem._data._experimental_functions import prefetch_to_device as prefetch_to_device
from stratagem._data._fed_stage import is_fed as is_fed
from stratagem._data._fed_stage import with_feeds as with_feeds
from stratagem._data._iterator import DatasetIterator as DatasetIterator
from stratagem._data._iterator import ElementIterator as ElementIterator
from stratagem._data._iterator import IteratorSpec as IteratorSpec
from stratagem._data._iterator import NumpyIterator as NumpyIterator
from stratagem._data._iterator import Optional as Optional
from stratagem._data._iterator import OptionalSpec as OptionalSpec
from stratagem._data._mnist import load_fashion_mnist as load_fashion_mnist
from stratagem._data._mnist import load_mnist as load_mnist
from stratagem._data._one_shot import OneShotIterator as OneShotIterator
from stratagem._data._one_shot import dataset_of as dataset_of
from stratagem._data._output_types import output_classes as output_classes
from stratagem._data._output_types import output_shapes as output_shapes
from stratagem._data._output_types import output_types as output_types
from stratagem._data._spare_values import with_spare_values as with_spare_values
from stratagem._data.distribution._distributed import DistributedDataset as DistributedDataset
from stratagem._data.distribution._distributed import (
    DistributedDatasetFromFunction as DistributedDatasetFromFunction,
)
from stratagem._data.distribution._distributed import DistributedInput as DistributedInput
from stratagem._data.distribution._distributed import DistributedIterator as DistributedIterator
from stratagem._data.distribution._distributed import PerReplicaSpec as PerReplicaSpec
from stratagem._data.distribution._distributed import place as place
from stratagem._data.distribution._input_context import InputContext as InputContext
from stratagem._data.distribution._input_context import InputOptions as InputOptions
from stratagem._data.distribution._input_context import InputReplicationMode as InputReplicationMode
from stratagem._data.distribution._input_context import ValueContext as ValueContext
from stratagem._data.distribution._per_replica_sizes import piece_sizes as piece_sizes
from stratagem._data.elements._nest import leaves as leaves
from stratagem._data.elements._nest import rows_in as rows_in
from stratagem._data.elements._nest import slice_rows as slice_rows
from stratagem._data.elements._nest import to_jax as to_jax
from stratagem._data.elements._nest import to_numpy as to_numpy
from stratagem._data.elements._parts import map_parts as map_parts
from stratagem._data.elements._spec import DatasetSpec as DatasetSpec
from stratagem._data.foreign._as_dataset import as_dataset as as_dataset
from stratagem._data.grouping._reducer import Reducer as Reducer
from stratagem._data.stages._batching import Batching as Batching
from stratagem._data.stages._options import AUTOTUNE as AUTOTUNE
from stratagem._data.stages._options import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data.stages._options import SHARD_HINT as SHARD_HINT
from stratagem._data.stages._options import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data.stages._options import AutoShardPolicy as AutoShardPolicy
from stratagem._data.stages._options import AutotuneAlgorithm as AutotuneAlgorithm
from stratagem._data.stages._options import AutotuneOptions as AutotuneOptions
from stratagem._data.stages._options import DistributeOptions as DistributeOptions
from stratagem._data.stages._options import ExternalStatePolicy as ExternalStatePolicy
from stratagem._data.stages._options import OptimizationOptions as OptimizationOptions
from stratagem._data.stages._options import Options as Options
from stratagem._data.stages._options import ThreadingOptions as ThreadingOptions
from stratagem._data.stages._seeds import set_global_seed as set_global_seed
from stratagem._data.stages._seeds import share_seeds as share_seeds
