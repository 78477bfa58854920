"""The implementation of tf.data and of distributed input."""

from stratagem.pipeline._builtin_data import load_fashion_mnist as load_fashion_mnist
from stratagem.pipeline._builtin_data import load_mnist as load_mnist
from stratagem.pipeline._dataset import Dataset as Dataset
from stratagem.pipeline._experimental import Counter as Counter
from stratagem.pipeline._experimental import assert_cardinality as assert_cardinality
from stratagem.pipeline._experimental import bucket_by_sequence_length as bucket_by_sequence_length
from stratagem.pipeline._experimental import cardinality as cardinality
from stratagem.pipeline._experimental import choose_from_datasets as choose_from_datasets
from stratagem.pipeline._experimental import enumerate_dataset as enumerate_dataset
from stratagem.pipeline._experimental import from_list as from_list
from stratagem.pipeline._experimental import get_next_as_optional as get_next_as_optional
from stratagem.pipeline._experimental import get_single_element as get_single_element
from stratagem.pipeline._experimental import get_structure as get_structure
from stratagem.pipeline._experimental import group_by_window as group_by_window
from stratagem.pipeline._experimental import map_and_batch as map_and_batch
from stratagem.pipeline._experimental import parallel_interleave as parallel_interleave
from stratagem.pipeline._experimental import sample_from_datasets as sample_from_datasets
from stratagem.pipeline._experimental import scan as scan
from stratagem.pipeline._experimental import shuffle_and_repeat as shuffle_and_repeat
from stratagem.pipeline._experimental import take_while as take_while
from stratagem.pipeline._experimental import unbatch as unbatch
from stratagem.pipeline._experimental import unique as unique
from stratagem.pipeline._iterator import DatasetIterator as DatasetIterator
from stratagem.pipeline._iterator import ElementIterator as ElementIterator
from stratagem.pipeline._iterator import NumpyIterator as NumpyIterator
from stratagem.pipeline._iterator import Optional as Optional
from stratagem.pipeline._one_shot import OneShotIterator as OneShotIterator
from stratagem.pipeline._one_shot import dataset_of as dataset_of
from stratagem.pipeline.distribution._distributed import DistributedDataset as DistributedDataset
from stratagem.pipeline.distribution._distributed import (
    DistributedDatasetFromFunction as DistributedDatasetFromFunction,
)
from stratagem.pipeline.distribution._distributed import DistributedInput as DistributedInput
from stratagem.pipeline.distribution._distributed import DistributedIterator as DistributedIterator
from stratagem.pipeline.distribution._distributed import PerReplicaSpec as PerReplicaSpec
from stratagem.pipeline.distribution._distributed import place as place
from stratagem.pipeline.distribution._input import InputContext as InputContext
from stratagem.pipeline.distribution._input import InputOptions as InputOptions
from stratagem.pipeline.distribution._input import InputReplicationMode as InputReplicationMode
from stratagem.pipeline.distribution._input import ValueContext as ValueContext
from stratagem.pipeline.elements._nest import to_jax as to_jax
from stratagem.pipeline.elements._nest import to_numpy as to_numpy
from stratagem.pipeline.elements._spec import DatasetSpec as DatasetSpec
from stratagem.pipeline.elements._spec import TensorShape as TensorShape
from stratagem.pipeline.elements._spec import TensorSpec as TensorSpec
from stratagem.pipeline.foreign._as_dataset import as_dataset as as_dataset
from stratagem.pipeline.stages._options import AUTOTUNE as AUTOTUNE
from stratagem.pipeline.stages._options import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem.pipeline.stages._options import SHARD_HINT as SHARD_HINT
from stratagem.pipeline.stages._options import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem.pipeline.stages._options import AutoShardPolicy as AutoShardPolicy
from stratagem.pipeline.stages._options import DistributeOptions as DistributeOptions
from stratagem.pipeline.stages._options import Options as Options
from stratagem.pipeline.stages._options import ThreadingOptions as ThreadingOptions
from stratagem.pipeline.stages._seeds import set_global_seed as set_global_seed
from stratagem.pipeline.stages._seeds import share_seeds as share_seeds
