"""Logical devices, those that programs use: their list, and `tf.device`."""

import contextlib
from typing import Any

import jax

from stratagem._base.errors import DeviceError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._devices._device_spec import DeviceSpec, parse_device_name
from stratagem._devices._names import HERE, LogicalDevice, device_name, find_device, kind_of, local_devices
from stratagem._devices._runtime_settings import get_soft_device_placement


@exported("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Returns the devices that programs can use; starts the backend (as `tf.config.list_logical_devices`)."""
    found = [LogicalDevice(device_name(d).removeprefix(HERE), kind_of(d)) for d in local_devices()]
    return [d for d in found if device_type in (None, d.device_type)]


@exported("device", v1=())
def device(device_name: Any) -> contextlib.AbstractContextManager[None]:
    """Returns a context whose operations and new variables are on a device, as `tf.device`.

    device_name: a name, a DeviceSpec, a function of an operation (which has no effect), or None for the default device. As
    in TF, a device that does not exist here is replaced by the default one, unless `set_soft_device_placement(False)` was
    called. In a compiled step and in a strategy's scope it has no effect: the strategy chooses the devices.

    Raises:
        ValueError: a text that is no device's name.
        DeviceError: no such device, without soft placement.
    """
    name = device_name.name if isinstance(device_name, LogicalDevice) else device_name
    name = name.to_string() if isinstance(name, DeviceSpec) else name
    if not isinstance(name, str) or not name:
        return contextlib.nullcontext()
    parts = parse_device_name(name, any_kind=True)
    context = current()
    if context.recorder is not None or context.strategy is not None:
        return contextlib.nullcontext()
    try:
        found = find_device(name)
    except DeviceError:
        if get_soft_device_placement() or parts.get("device_index") is None:
            return contextlib.nullcontext()
        raise
    return jax.default_device(found)
