"""Virtual devices: several of one CPU, and a limit to a GPU's memory."""

import os
from collections.abc import Sequence
from typing import Any

import jax

from stratagem._base.exports import exported
from stratagem._cluster import gpu_memory, visible_gpus
from stratagem._devices._settings import LogicalDeviceConfiguration, PhysicalDevice, change_settings, settings
from stratagem._private import backend_started_by, backends_started, reserve_threads


@exported("config.get_logical_device_configuration", "config.experimental.get_virtual_device_configuration")
def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """Returns what `set_logical_device_configuration` made of a device, None if nothing."""
    return settings().virtual.get(device)


@exported("config.set_logical_device_configuration", "config.experimental.set_virtual_device_configuration")
def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Sequence[Any] | None) -> None:
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
    change_settings(virtual={**settings().virtual, device: made})


def _divide_cpu(made: Sequence[LogicalDeviceConfiguration]) -> None:
    if any(each.memory_limit is not None for each in made):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    count = len(made)
    if backends_started():
        have = len(jax.local_devices(backend="cpu"))
        if have == count:
            return
        raise RuntimeError(
            f"Virtual devices cannot be modified after being initialized{backend_started_by()}: {have} CPU device(s) are in "
            f"use, {count} asked for. Call set_logical_device_configuration first in the program."
        )
    jax.config.update("jax_num_cpu_devices", count)
    reserve_threads(count)


def _limit_memory(device: PhysicalDevice, limit: int) -> None:
    """Limits the memory that JAX takes of each GPU to `limit` MiB."""
    if backends_started():
        raise RuntimeError(
            f"Virtual devices cannot be modified after being initialized{backend_started_by()}: call "
            "set_logical_device_configuration first."
        )
    whole = gpu_memory(visible_gpus(os.environ)[int(device.name.rpartition(":")[2])])
    if not 0 < limit <= whole:
        raise ValueError(f"{device.name}: a memory limit of {limit} MiB was asked for, of {whole} MiB.")
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = f"{limit / whole:.6f}"
