"""Strategies whose replicas step together, and the base class of all strategies.

In: devices by TensorFlow's names, and the cluster that a process is in.
Out: `MirroredStrategy`, `MultiWorkerMirroredStrategy`, `OneDeviceStrategy`, the default strategy; `AbstractStrategy`.
Never: computes itself: a strategy chooses a mesh, and everything else is written once for any mesh.
"""

from stratagem._strategies._abstract import AbstractStrategy as AbstractStrategy
from stratagem._strategies._central_storage import CentralStorageStrategy as CentralStorageStrategy
from stratagem._strategies._communication import CommunicationImplementation as CommunicationImplementation
from stratagem._strategies._communication import CommunicationOptions as CommunicationOptions
from stratagem._strategies._cross_device_ops import CrossDeviceOps as CrossDeviceOps
from stratagem._strategies._cross_device_ops import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from stratagem._strategies._cross_device_ops import NcclAllReduce as NcclAllReduce
from stratagem._strategies._cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from stratagem._strategies._current import experimental_set_strategy as experimental_set_strategy
from stratagem._strategies._current import get_replica_context as get_replica_context
from stratagem._strategies._current import get_strategy as get_strategy
from stratagem._strategies._current import has_strategy as has_strategy
from stratagem._strategies._current import in_cross_replica_context as in_cross_replica_context
from stratagem._strategies._extended import StrategyExtended as StrategyExtended
from stratagem._strategies._mirrored import MirroredStrategy as MirroredStrategy
from stratagem._strategies._multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem._strategies._one_device import OneDeviceStrategy as OneDeviceStrategy
from stratagem._strategies._run_options import RunOptions as RunOptions
from stratagem._strategies._tpu import Topology as Topology
from stratagem._strategies._tpu import TPUStrategy as TPUStrategy
from stratagem._strategies._tpu import experimental_connect_to_cluster as experimental_connect_to_cluster
from stratagem._strategies._tpu import initialize_tpu_system as initialize_tpu_system
from stratagem._strategies._tpu import shutdown_tpu_system as shutdown_tpu_system
