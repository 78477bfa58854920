# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._core.reduce_op import ReduceOp as ReduceOp
from stratagem._core.step import ReplicaContext as ReplicaContext
from stratagem._core.values import DistributedValues as DistributedValues
from stratagem._data import DistributedDataset as DistributedDataset
from stratagem._data import DistributedIterator as DistributedIterator
from stratagem._data import InputContext as InputContext
from stratagem._data import InputOptions as InputOptions
from stratagem._data import InputReplicationMode as InputReplicationMode
from stratagem._servers.remote import Server as Server
from stratagem._servers.strategy import ParameterServerStrategy as ParameterServerStrategy
from stratagem._strategies import AbstractStrategy as Strategy
from stratagem._strategies import CrossDeviceOps as CrossDeviceOps
from stratagem._strategies import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from stratagem._strategies import MirroredStrategy as MirroredStrategy
from stratagem._strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem._strategies import NcclAllReduce as NcclAllReduce
from stratagem._strategies import OneDeviceStrategy as OneDeviceStrategy
from stratagem._strategies import ReductionToOneDevice as ReductionToOneDevice
from stratagem._strategies import RunOptions as RunOptions
from stratagem._strategies import StrategyExtended as StrategyExtended
from stratagem._strategies import TPUStrategy as TPUStrategy
from stratagem._strategies import experimental_set_strategy as experimental_set_strategy
from stratagem._strategies import get_replica_context as get_replica_context
from stratagem._strategies import get_strategy as get_strategy
from stratagem._strategies import has_strategy as has_strategy
from stratagem._strategies import in_cross_replica_context as in_cross_replica_context
from stratagem.distribute import cluster_resolver as cluster_resolver
from stratagem.distribute import coordinator as coordinator
from stratagem.distribute import experimental as experimental

__all__ = [
    "CrossDeviceOps", "DistributedDataset", "DistributedIterator", "DistributedValues", "HierarchicalCopyAllReduce",
    "InputContext", "InputOptions", "InputReplicationMode", "MirroredStrategy", "MultiWorkerMirroredStrategy",
    "NcclAllReduce", "OneDeviceStrategy", "ParameterServerStrategy", "ReduceOp", "ReductionToOneDevice",
    "ReplicaContext", "RunOptions", "Server", "Strategy", "StrategyExtended", "TPUStrategy", "cluster_resolver",
    "coordinator", "experimental", "experimental_set_strategy", "get_replica_context", "get_strategy", "has_strategy",
    "in_cross_replica_context"
]  # fmt: skip
