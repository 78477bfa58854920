"""The memory of devices: growth, use, peak."""

import logging
import os

import jax

from stratagem._base.errors import DeviceError
from stratagem._base.exports import exported
from stratagem._devices._names import find_device
from stratagem._devices._physical import list_physical_devices
from stratagem._devices._settings import PhysicalDevice, change_settings, settings
from stratagem._private import backend_started_by, backends_started

_PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"

logger = logging.getLogger("stratagem")


@exported("config.experimental.get_memory_growth")
def get_memory_growth(device: PhysicalDevice) -> bool:
    """Returns whether a GPU's memory grows as needed. Raises ValueError for a device that is no GPU."""
    _check_is_gpu(device)
    return settings().growth.get(device, os.environ.get(_PREALLOCATE) == "false")


@exported("config.experimental.set_memory_growth")
def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Lets a GPU's memory grow as needed instead of taking most of it at the start. Has to be called before a backend starts.

    JAX has one setting for all GPUs.

    Raises:
        RuntimeError: it is too late.
        ValueError: a device that is no GPU, or another value than another GPU's.
    """
    _check_is_gpu(device)
    if backends_started():
        if get_memory_growth(device) == bool(enable):
            return
        raise RuntimeError(
            f"Memory growth cannot be set after devices were initialized{backend_started_by()}: call it first in the program."
        )
    others = {growth for other, growth in settings().growth.items() if other != device}
    if others - {bool(enable)}:
        raise ValueError("Memory growth cannot differ between GPU devices.")
    change_settings(growth={**settings().growth, device: bool(enable)})
    os.environ[_PREALLOCATE] = "false" if enable else "true"


def _check_is_gpu(device: PhysicalDevice) -> None:
    if not isinstance(device, PhysicalDevice) or device.device_type != "GPU":
        gpus = [d.name for d in list_physical_devices("GPU")]
        raise ValueError(f"Memory growth can be set for GPUs only, not for {device!r}. GPUs here: {gpus}.")


@exported("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """Returns the bytes in use on a device, {"current": now, "peak": at most}. As in TensorFlow, both are 0 for a CPU.

    device: its name, such as "GPU:0". Raises ValueError if it does not exist.
    """
    statistics = _existing(device).memory_stats() or {}
    return {"current": statistics.get("bytes_in_use", 0), "peak": statistics.get("peak_bytes_in_use", 0)}


@exported("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """Returns the bytes in use on a device; an old name of `get_memory_info(device)["current"]`."""
    return get_memory_info(device)["current"]


@exported("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Does nothing but say so in the log: JAX counts the peak from the start of the program.

    Raises ValueError if the device does not exist.
    """
    _existing(device)
    logger.info("tf.config.experimental.reset_memory_stats(%r): JAX counts the peak from the program's start.", device)


def _existing(device: str) -> jax.Device:
    try:
        return find_device(device)
    except DeviceError as error:
        raise ValueError(f"No matching devices found for {device!r}. {error}") from error
