"""The devices of this machine by TensorFlow's names, and the settings of the runtime that `tf.config` has.

In: names of devices, and settings before JAX starts.
Out: JAX's devices; JAX's own settings.
Never: starts a backend, but to list logical devices, find one or ask for its memory.
"""

from stratagem._devices._compilation_cache import attach_compilation_cache as attach_compilation_cache
from stratagem._devices._compilation_cache import set_compilation_cache as set_compilation_cache
from stratagem._devices._device_spec import DeviceSpec as DeviceSpec
from stratagem._devices._device_spec import MutableDeviceSpec as MutableDeviceSpec
from stratagem._devices._logical import device as device
from stratagem._devices._logical import list_logical_devices as list_logical_devices
from stratagem._devices._memory import get_memory_growth as get_memory_growth
from stratagem._devices._memory import get_memory_info as get_memory_info
from stratagem._devices._memory import get_memory_usage as get_memory_usage
from stratagem._devices._memory import reset_memory_stats as reset_memory_stats
from stratagem._devices._memory import set_memory_growth as set_memory_growth
from stratagem._devices._names import LogicalDevice as LogicalDevice
from stratagem._devices._names import attach_device_names as attach_device_names
from stratagem._devices._names import choose_devices as choose_devices
from stratagem._devices._names import device_name as device_name
from stratagem._devices._names import find_device as find_device
from stratagem._devices._names import kind_of as kind_of
from stratagem._devices._physical import get_device_details as get_device_details
from stratagem._devices._physical import get_visible_devices as get_visible_devices
from stratagem._devices._physical import list_physical_devices as list_physical_devices
from stratagem._devices._physical import set_visible_devices as set_visible_devices
from stratagem._devices._runtime_settings import disable_mlir_bridge as disable_mlir_bridge
from stratagem._devices._runtime_settings import enable_mlir_bridge as enable_mlir_bridge
from stratagem._devices._runtime_settings import enable_op_determinism as enable_op_determinism
from stratagem._devices._runtime_settings import enable_tensor_float_32_execution as enable_tensor_float_32_execution
from stratagem._devices._runtime_settings import get_device_policy as get_device_policy
from stratagem._devices._runtime_settings import get_experimental_options as get_experimental_options
from stratagem._devices._runtime_settings import get_inter_op_parallelism_threads as get_inter_op_parallelism_threads
from stratagem._devices._runtime_settings import get_intra_op_parallelism_threads as get_intra_op_parallelism_threads
from stratagem._devices._runtime_settings import get_jit as get_jit
from stratagem._devices._runtime_settings import get_soft_device_placement as get_soft_device_placement
from stratagem._devices._runtime_settings import get_synchronous_execution as get_synchronous_execution
from stratagem._devices._runtime_settings import set_device_policy as set_device_policy
from stratagem._devices._runtime_settings import set_experimental_options as set_experimental_options
from stratagem._devices._runtime_settings import set_inter_op_parallelism_threads as set_inter_op_parallelism_threads
from stratagem._devices._runtime_settings import set_intra_op_parallelism_threads as set_intra_op_parallelism_threads
from stratagem._devices._runtime_settings import set_jit as set_jit
from stratagem._devices._runtime_settings import set_soft_device_placement as set_soft_device_placement
from stratagem._devices._runtime_settings import set_synchronous_execution as set_synchronous_execution
from stratagem._devices._runtime_settings import tensor_float_32_execution_enabled as tensor_float_32_execution_enabled
from stratagem._devices._settings import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from stratagem._devices._settings import PhysicalDevice as PhysicalDevice
from stratagem._devices._virtual import get_logical_device_configuration as get_logical_device_configuration
from stratagem._devices._virtual import set_logical_device_configuration as set_logical_device_configuration
