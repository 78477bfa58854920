"""Strategies: the user's entry point; composes everything below."""

from stratagem.strategy._abstract import AbstractStrategy as AbstractStrategy
from stratagem.strategy._cross_device_ops import CrossDeviceOps as CrossDeviceOps
from stratagem.strategy._cross_device_ops import HierarchicalCopyAllReduce as HierarchicalCopyAllReduce
from stratagem.strategy._cross_device_ops import NcclAllReduce as NcclAllReduce
from stratagem.strategy._cross_device_ops import ReductionToOneDevice as ReductionToOneDevice
from stratagem.strategy._current import experimental_set_strategy as experimental_set_strategy
from stratagem.strategy._current import get_replica_context as get_replica_context
from stratagem.strategy._current import get_strategy as get_strategy
from stratagem.strategy._current import has_strategy as has_strategy
from stratagem.strategy._current import in_cross_replica_context as in_cross_replica_context
from stratagem.strategy._devices import LogicalDevice as LogicalDevice
from stratagem.strategy._devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from stratagem.strategy._devices import PhysicalDevice as PhysicalDevice
from stratagem.strategy._devices import list_logical_devices as list_logical_devices
from stratagem.strategy._devices import list_physical_devices as list_physical_devices
from stratagem.strategy._devices import set_logical_device_configuration as set_logical_device_configuration
from stratagem.strategy._devices import set_memory_growth as set_memory_growth
from stratagem.strategy._mirrored import MirroredStrategy as MirroredStrategy
from stratagem.strategy._one_device import OneDeviceStrategy as OneDeviceStrategy
