"""Strategies whose replicas step together, and the base class of all strategies.

In: devices by TensorFlow's names, and the cluster that a process is in.
Out: `MirroredStrategy`, `MultiWorkerMirroredStrategy`, `OneDeviceStrategy`, the default strategy; `AbstractStrategy`.
Never: computes itself: a strategy chooses a mesh, and everything else is written once for any mesh.
"""

from stratagem._strategies._abstract import AbstractStrategy as AbstractStrategy
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
from stratagem._strategies._devices import LogicalDevice as LogicalDevice
from stratagem._strategies._devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from stratagem._strategies._devices import PhysicalDevice as PhysicalDevice
from stratagem._strategies._devices import attach_device_names as attach_device_names
from stratagem._strategies._devices import device as device
from stratagem._strategies._devices import list_logical_devices as list_logical_devices
from stratagem._strategies._devices import list_physical_devices as list_physical_devices
from stratagem._strategies._devices import set_logical_device_configuration as set_logical_device_configuration
from stratagem._strategies._devices import set_memory_growth as set_memory_growth
from stratagem._strategies._mirrored import MirroredStrategy as MirroredStrategy
from stratagem._strategies._multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem._strategies._one_device import OneDeviceStrategy as OneDeviceStrategy
