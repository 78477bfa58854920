"""tf.distribute."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._core.reduce_op import ReduceOp as ReduceOp
from stratagem._core.step import ReplicaContext as ReplicaContext
from stratagem._core.values import DistributedValues as DistributedValues
from stratagem._data import DistributedDataset as DistributedDataset
from stratagem._data import DistributedIterator as DistributedIterator
from stratagem._data import InputContext as InputContext
from stratagem._data import InputOptions as InputOptions
from stratagem._data import InputReplicationMode as InputReplicationMode
from stratagem._ops import not_provided as _not_provided
from stratagem._servers.remote import Server as Server
from stratagem._servers.strategy import ParameterServerStrategy as ParameterServerStrategy
from stratagem._strategies import AbstractStrategy as Strategy  # noqa: F401
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

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("distribute", name)
