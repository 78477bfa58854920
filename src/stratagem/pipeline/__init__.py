"""The implementation of tf.data and of distributed input."""

from stratagem.pipeline._builtin_data import load_fashion_mnist as load_fashion_mnist
from stratagem.pipeline._builtin_data import load_mnist as load_mnist
from stratagem.pipeline._dataset import Dataset as Dataset
from stratagem.pipeline._distributed import DistributedDataset as DistributedDataset
from stratagem.pipeline._distributed import DistributedDatasetFromFunction as DistributedDatasetFromFunction
from stratagem.pipeline._distributed import DistributedInput as DistributedInput
from stratagem.pipeline._distributed import DistributedIterator as DistributedIterator
from stratagem.pipeline._distributed import PerReplicaSpec as PerReplicaSpec
from stratagem.pipeline._input import InputContext as InputContext
from stratagem.pipeline._input import InputOptions as InputOptions
from stratagem.pipeline._input import InputReplicationMode as InputReplicationMode
from stratagem.pipeline._iterator import DatasetIterator as DatasetIterator
from stratagem.pipeline._iterator import ElementIterator as ElementIterator
from stratagem.pipeline._iterator import NumpyIterator as NumpyIterator
from stratagem.pipeline._iterator import Optional as Optional
from stratagem.pipeline._options import AUTOTUNE as AUTOTUNE
from stratagem.pipeline._options import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem.pipeline._options import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem.pipeline._options import AutoShardPolicy as AutoShardPolicy
from stratagem.pipeline._options import DistributeOptions as DistributeOptions
from stratagem.pipeline._options import Options as Options
from stratagem.pipeline._options import ThreadingOptions as ThreadingOptions
from stratagem.pipeline._seeds import set_global_seed as set_global_seed
from stratagem.pipeline._spec import TensorShape as TensorShape
from stratagem.pipeline._spec import TensorSpec as TensorSpec
