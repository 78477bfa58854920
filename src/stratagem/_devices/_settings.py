"""The settings that `tf.config` makes, all of which are the process': one record in one place, and what it is about."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from stratagem._base.exports import exported


@exported("config.PhysicalDevice")
@dataclasses.dataclass(frozen=True)
class PhysicalDevice:
    """A device of this machine, as `tf.config.PhysicalDevice`."""

    name: str
    device_type: str


@exported("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
@dataclasses.dataclass(frozen=True)
class LogicalDeviceConfiguration:
    """A virtual device, as `tf.config.LogicalDeviceConfiguration`.

    memory_limit: MiB of a GPU's memory; not for CPUs. The other fields have no effect.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@dataclasses.dataclass(frozen=True)
class HiddenKinds:
    """A mark that all devices of a kind are hidden. platforms: JAX's setting before, restored when all are visible."""

    platforms: str | None


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of the process, as in TensorFlow; `jit`, `optimizers`, `policy`, `synchronous` are only remembered.

    visible: the devices that `set_visible_devices` chose, by kind. hidden: what it hid of JAX's platforms. growth: of memory,
    by GPU. virtual: the virtual devices, by device. inter_op_threads: only remembered. intra_op_threads: XLA's threads.
    soft_placement: what `tf.device` does with a device that does not exist.
    """

    visible: Mapping[str, tuple[PhysicalDevice, ...]] = dataclasses.field(default_factory=dict)
    hidden: HiddenKinds | None = None
    growth: Mapping[PhysicalDevice, bool] = dataclasses.field(default_factory=dict)
    virtual: Mapping[PhysicalDevice, list[LogicalDeviceConfiguration]] = dataclasses.field(default_factory=dict)
    inter_op_threads: int = 0
    intra_op_threads: int = 0
    jit: str = ""
    optimizers: Mapping[str, bool | int] = dataclasses.field(
        default_factory=lambda: {"disable_model_pruning": False, "disable_meta_optimizer": False}
    )
    soft_placement: bool = True
    policy: str = "silent"
    synchronous: bool = True


_present = Settings()


def settings() -> Settings:
    """Returns the present settings."""
    return _present


def change_settings(**changes: Any) -> None:
    """Replaces fields of the present settings."""
    global _present
    _present = dataclasses.replace(_present, **changes)
