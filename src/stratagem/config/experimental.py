"""tf.config.experimental."""

from typing import Any as _Any

from stratagem._cluster import ClusterDeviceFilters as ClusterDeviceFilters
from stratagem._devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration  # noqa: F401
from stratagem._devices import disable_mlir_bridge as disable_mlir_bridge
from stratagem._devices import enable_mlir_bridge as enable_mlir_bridge
from stratagem._devices import enable_op_determinism as enable_op_determinism
from stratagem._devices import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from stratagem._devices import get_device_details as get_device_details
from stratagem._devices import get_device_policy as get_device_policy
from stratagem._devices import get_logical_device_configuration as get_virtual_device_configuration  # noqa: F401
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
from stratagem._devices import set_logical_device_configuration as set_virtual_device_configuration  # noqa: F401
from stratagem._devices import set_memory_growth as set_memory_growth
from stratagem._devices import set_synchronous_execution as set_synchronous_execution
from stratagem._devices import set_visible_devices as set_visible_devices
from stratagem._devices import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("config.experimental", name)
