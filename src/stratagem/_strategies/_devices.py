"""Devices by TensorFlow's names: parsing, listing, and virtual CPU devices."""

import contextlib
import importlib.metadata
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import jax

from stratagem._base.errors import DeviceError
from stratagem._base.types import TensorLike, Value
from stratagem._core.context import current
from stratagem._private import backends_started, configured_cpu_devices, name_devices, reserve_threads

_NAME = re.compile(r"(?:/?job:[^/]+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?([A-Za-z_]+):(\d+)\Z")

_PART = re.compile(r"(job:[^/:]+|replica:\d+|task:\d+|(device:)?[A-Za-z_]+:(\d+|\*))\Z")
_HERE = "/job:localhost/replica:0/task:0"


@dataclass(frozen=True)
class PhysicalDevice:
    """A device of this machine, as `tf.config.PhysicalDevice`."""

    name: str
    device_type: str


@dataclass(frozen=True)
class LogicalDevice:
    """A device that a program can use, as `tf.config.LogicalDevice`."""

    name: str
    device_type: str


@dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """A virtual device, as `tf.config.LogicalDeviceConfiguration`; memory limits have no effect on a CPU."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def kind_of(device: jax.Device) -> str:
    """Returns TF's name of the kind of device: CPU, GPU or TPU."""
    return {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU"}.get(device.platform, device.platform.upper())


def device_name(device: jax.Device) -> str:
    """Returns TF's full name of a local device."""
    return f"{_HERE}/device:{kind_of(device)}:{device.client.local_devices().index(device)}"


def attach_device_names() -> None:
    """Let JAX's devices be printed with TF's names, but for those of other processes."""
    name_devices(lambda device: device_name(device) if device in device.client.local_devices() else None)


def local_devices() -> list[jax.Device]:
    """Returns all devices of this process: accelerators first, then CPUs."""
    default = jax.local_devices()
    return default if default[0].platform == "cpu" else [*default, *jax.local_devices(backend="cpu")]


def find_device(name: str | jax.Device) -> jax.Device:
    """Returns the device with a name ("GPU:1", "/cpu:0", "/job:localhost/replica:0/task:0/device:GPU:1").

    Raises DeviceError, with the devices that exist, for one that does not.
    """
    if isinstance(name, jax.Device):
        return name
    match = _NAME.match(name)
    if not match:
        raise DeviceError(f"{name!r} is not a device name; write for example 'GPU:0' or 'CPU:1'.")
    kind, index = match[1].upper(), int(match[2])
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


def choose_devices(names: Sequence[str] | None) -> tuple[jax.Device, ...]:
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


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the machine's devices, without starting a backend (as `tf.config.list_physical_devices`)."""
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    found += [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(_gpu_count())]
    return [d for d in found if device_type in (None, d.device_type)]


def _gpu_count() -> int:
    """Returns the number of NVIDIA GPUs that JAX would use: with its CUDA plugin, listed by the driver, and not hidden."""
    names = {(d.metadata["Name"] or "").lower() for d in importlib.metadata.distributions()}
    if not any(n.startswith("jax-cuda") and n.endswith("-plugin") for n in names):
        return 0
    present = len(list(Path("/proc/driver/nvidia/gpus").glob("*")))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return present
    return len([v for v in visible.split(",") if v.strip() and v.strip() != "-1"])


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Returns the devices that programs can use; starts the backend (as `tf.config.list_logical_devices`)."""
    found = [LogicalDevice(device_name(d).removeprefix(_HERE), kind_of(d)) for d in local_devices()]
    return [d for d in found if device_type in (None, d.device_type)]


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Sequence[Value] | None) -> None:
    """Makes several virtual devices of the CPU. Has to be called before anything that starts a backend.

    Raises RuntimeError if it is too late, ValueError for a GPU (JAX cannot divide one).
    """
    if not logical_devices:
        return
    if device.device_type != "CPU":
        raise ValueError(f"{device.name}: only the CPU can be divided into virtual devices here.")
    count = len(logical_devices)
    if backends_started():
        have = len(jax.local_devices(backend="cpu"))
        if have == count:
            return
        raise RuntimeError(
            f"Virtual devices cannot be modified after being initialized: {have} CPU device(s) are in use, {count} asked for. "
            "Call set_logical_device_configuration first in the program."
        )
    jax.config.update("jax_num_cpu_devices", count)
    reserve_threads(count)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Lets a GPU's memory grow as needed instead of taking most of it at the start. Has to be called before a backend starts.

    JAX has one setting for all GPUs. Raises RuntimeError if it is too late, ValueError for a device that is no GPU.
    """
    if device.device_type != "GPU":
        raise ValueError(f"{device.name}: memory growth can be set for GPUs only.")
    if backends_started():
        raise RuntimeError("Memory growth cannot be set after devices were initialized: call it first in the program.")
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false" if enable else "true"


def device(device_name: TensorLike) -> contextlib.AbstractContextManager[None]:
    """Returns a context whose operations and new variables are on a device, as `tf.device`.

    device_name: a name, a function of an operation (which has no effect), or None for the default device. As in TF, a
    device that does not exist here is replaced by the default one. In a compiled step and in a strategy's scope it has no
    effect: the strategy chooses the devices. Raises ValueError for a text that is no device's name.
    """
    name = device_name.name if isinstance(device_name, LogicalDevice) else device_name
    if not isinstance(name, str) or not name:
        return contextlib.nullcontext()
    unknown = [part for part in name.strip("/").split("/") if not _PART.match(part)]
    if unknown:
        raise ValueError(
            f"Unknown attribute {unknown[0]!r} is encountered while parsing the device spec: {name!r}. Write for example "
            "'/GPU:0' or '/CPU:1'."
        )
    context = current()
    try:
        found = find_device(name)
    except DeviceError:
        return contextlib.nullcontext()
    if context.recorder is not None or context.strategy is not None:
        return contextlib.nullcontext()
    return cast(contextlib.AbstractContextManager[None], jax.default_device(found))
