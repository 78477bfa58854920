"""Datasets as plans that tell where each element is, and their distribution over replicas and workers.

In: arrays, files, generators, datasets of other libraries; user functions to be mapped over elements.
Out: `Dataset` and its iterators, whose positions can be saved; `distribution` turns one into the input of each replica.
Never: runs a step, or waits for a worker without a limit.
"""

from stratagem._data._dataset import Dataset as Dataset
from stratagem._data._fed_stage import is_fed as is_fed
from stratagem._data._fed_stage import with_feeds as with_feeds
from stratagem._data._iterator import ElementIterator as ElementIterator
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
from stratagem._data.foreign._as_dataset import as_dataset as as_dataset
from stratagem._data.stages._batching import Batching as Batching
from stratagem._data.stages._options import AUTOTUNE as AUTOTUNE
from stratagem._data.stages._options import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem._data.stages._options import SHARD_HINT as SHARD_HINT
from stratagem._data.stages._options import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem._data.stages._options import AutoShardPolicy as AutoShardPolicy
from stratagem._data.stages._options import Options as Options
from stratagem._data.stages._seeds import set_global_seed as set_global_seed
from stratagem._data.stages._seeds import share_seeds as share_seeds
