"""Virtual devices: several of one CPU, and a limit to a GPU's memory."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import jax

from stratagem._base.types import Value
from stratagem._devices._physical import PhysicalDevice
from stratagem._private import backends_started, reserve_threads

_PATIENCE = 20.0  # seconds; a driver may have to wake up first


@dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """A virtual device, as `tf.config.LogicalDeviceConfiguration`.

    memory_limit: MiB of a GPU's memory; not for CPUs. The other fields have no effect.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class _Configured:
    """The arguments of `set_logical_device_configuration` by device: as in TensorFlow, settings of the process."""

    devices: ClassVar[dict[PhysicalDevice, list[LogicalDeviceConfiguration]]] = {}


def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """Returns what `set_logical_device_configuration` made of a device, None if nothing."""
    return _Configured.devices.get(device)


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Sequence[Value] | None) -> None:
    """Makes several virtual devices of the CPU, or limits the memory of the GPUs. Has to be called before a backend starts.

    The memory limit of a GPU is one of JAX's for all GPUs: a fraction of what the driver says the GPU has.

    Raises:
        RuntimeError: it is too late.
        ValueError: several devices of a GPU, which JAX cannot divide; a memory limit for the CPU.
    """
    if not logical_devices:
        return
    made = list(logical_devices)
    if device.device_type == "CPU":
        _divide_cpu(made)
    elif len(made) > 1:
        raise ValueError(f"{device.name}: only the CPU can be divided into virtual devices here.")
    elif made[0].memory_limit is not None:
        _limit_memory(device, made[0].memory_limit)
    _Configured.devices[device] = made


def _divide_cpu(made: Sequence[LogicalDeviceConfiguration]) -> None:
    if any(each.memory_limit is not None for each in made):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    count = len(made)
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


def _limit_memory(device: PhysicalDevice, limit: int) -> None:
    """Limits the memory that JAX takes of each GPU to `limit` MiB."""
    if backends_started():
        raise RuntimeError(
            "Virtual devices cannot be modified after being initialized: call set_logical_device_configuration first."
        )
    whole = _gpu_memory(int(device.name.rpartition(":")[2]))
    if not 0 < limit <= whole:
        raise ValueError(f"{device.name}: a memory limit of {limit} MiB was asked for, of {whole} MiB.")
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = f"{limit / whole:.6f}"


def _gpu_memory(index: int) -> int:
    """Returns the MiB of the GPU with a number, as the driver's `nvidia-smi` says. Raises ValueError without an answer."""
    command = shutil.which("nvidia-smi")
    if command is None:
        raise ValueError(
            "The memory of a GPU can be limited where nvidia-smi says how much there is; it is not installed."
        )
    query = [command, "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    run = subprocess.run(query, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    answers = run.stdout.split()
    if run.returncode != 0 or index >= len(answers):
        raise ValueError(
            f"nvidia-smi does not say how much memory GPU {index} has: {(run.stderr or run.stdout).strip()!r}."
        )
    return int(answers[index])
