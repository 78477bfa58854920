"""Devices by TensorFlow's names: parsing, finding, choosing those of a strategy."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax

from stratagem._base.errors import DeviceError
from stratagem._base.exports import exported
from stratagem._devices._device_spec import DeviceSpec, parse_device_name
from stratagem._private import configured_cpu_devices, name_devices, reserve_threads

HERE = "/job:localhost/replica:0/task:0"


def kind_of(device: jax.Device) -> str:
    """Returns TF's name of the kind of device: CPU, GPU or TPU."""
    return {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU"}.get(device.platform, device.platform.upper())


def device_name(device: jax.Device) -> str:
    """Returns TF's full name of a local device."""
    return f"{HERE}/device:{kind_of(device)}:{device.client.local_devices().index(device)}"


def attach_device_names() -> None:
    """Let JAX's devices be printed with TF's names, but for those of other processes."""
    name_devices(lambda device: device_name(device) if device in device.client.local_devices() else None)


def local_devices() -> list[jax.Device]:
    """Returns all devices of this process: accelerators first, then CPUs."""
    default = jax.local_devices()
    return default if default[0].platform == "cpu" else [*default, *jax.local_devices(backend="cpu")]


@exported("config.LogicalDevice")
@dataclass(frozen=True)
class LogicalDevice:
    """A device that a program can use, as `tf.config.LogicalDevice`."""

    name: str
    device_type: str


def find_device(name: str | LogicalDevice | jax.Device) -> jax.Device:
    """Returns the device with a name ("GPU:1", "/cpu:0", "/job:localhost/replica:0/task:0/device:GPU:1"), or of such an object.

    Raises DeviceError, with the devices that exist, for one that does not.
    """
    if isinstance(name, jax.Device):
        return name
    if isinstance(name, LogicalDevice):
        name = name.name
    kind, index = _kind_and_index(name)
    existing = local_devices()
    same = [d for d in existing if kind_of(d) == kind]
    if index >= len(same):
        hint = (
            " More virtual CPU devices: tf.config.set_logical_device_configuration before anything else, or the "
            "environment variable JAX_NUM_CPU_DEVICES."
            if kind == "CPU"
            else ""
        )
        raise DeviceError(
            f"Device {name!r} does not exist. Devices here: {', '.join(map(device_name, existing))}.{hint}"
        )
    return same[index]


def _kind_and_index(name: str) -> tuple[str, int]:
    try:
        spec = DeviceSpec(**parse_device_name(name, any_kind=True))
    except ValueError:
        spec = DeviceSpec()
    if spec.device_type is None or spec.device_index is None or spec.device_index < 0:
        raise DeviceError(f"{name!r} is not a device name; write for example 'GPU:0' or 'CPU:1'.")
    return spec.device_type.upper(), spec.device_index


def choose_devices(names: Sequence[str | LogicalDevice] | None) -> tuple[jax.Device, ...]:
    """Returns the devices of a MirroredStrategy: those with the given names, else all accelerators, else all CPU devices.

    (TF takes one CPU even if several virtual ones were configured; here they are all used.)
    """
    reserve_threads(configured_cpu_devices())
    if not names:
        return tuple(jax.local_devices())
    devices = [find_device(n) for n in names]
    twice = sorted({device_name(d) for d in devices if devices.count(d) > 1})
    if twice:
        raise DeviceError(
            f"No duplicates allowed in `devices` argument: {', '.join(twice)} named more than once in {names}."
        )
    if len({d.platform for d in devices}) > 1:
        raise DeviceError(f"All devices of a strategy must be of one kind, got {list(names)}.")
    return tuple(devices)
