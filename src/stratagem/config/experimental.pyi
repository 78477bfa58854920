# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._cluster import ClusterDeviceFilters as ClusterDeviceFilters
from stratagem._devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from stratagem._devices import disable_mlir_bridge as disable_mlir_bridge
from stratagem._devices import enable_mlir_bridge as enable_mlir_bridge
from stratagem._devices import enable_op_determinism as enable_op_determinism
from stratagem._devices import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from stratagem._devices import get_device_details as get_device_details
from stratagem._devices import get_device_policy as get_device_policy
from stratagem._devices import get_logical_device_configuration as get_virtual_device_configuration
from stratagem._devices import get_memory_growth as get_memory_growth
from stratagem._devices import get_memory_info as get_memory_info
from stratagem._devices import get_memory_usage as get_memory_usage
from stratagem._devices import get_synchronous_execution as get_synchronous_execution
from stratagem._devices import get_visible_devices as get_visible_devices
from stratagem._devices import list_logical_devices as list_logical_devices
from stratagem._devices import list_physical_devices as list_physical_devices
from stratagem._devices import reset_memory_stats as reset_memory_stats
from stratagem._devices import set_compilation_cache as set_compilation_cache
from stratagem._devices import set_device_policy as set_device_policy
from stratagem._devices import set_logical_device_configuration as set_virtual_device_configuration
from stratagem._devices import set_memory_growth as set_memory_growth
from stratagem._devices import set_synchronous_execution as set_synchronous_execution
from stratagem._devices import set_visible_devices as set_visible_devices
from stratagem._devices import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled

__all__ = [
    "ClusterDeviceFilters", "VirtualDeviceConfiguration", "disable_mlir_bridge", "enable_mlir_bridge",
    "enable_op_determinism", "enable_tensor_float_32_execution", "get_device_details", "get_device_policy",
    "get_memory_growth", "get_memory_info", "get_memory_usage", "get_synchronous_execution",
    "get_virtual_device_configuration", "get_visible_devices", "list_logical_devices", "list_physical_devices",
    "reset_memory_stats", "set_compilation_cache", "set_device_policy", "set_memory_growth",
    "set_synchronous_execution", "set_virtual_device_configuration", "set_visible_devices",
    "tensor_float_32_execution_enabled"
]  # fmt: skip
