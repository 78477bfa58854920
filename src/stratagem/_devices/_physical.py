"""Physical devices, the hardware of this machine: listed without starting JAX, and which of it JAX may use."""

import importlib.metadata
import os
from collections.abc import Sequence

import jax

from stratagem._base.exports import exported
from stratagem._cluster import visible_gpus, visible_tpus
from stratagem._devices._settings import HiddenKinds, PhysicalDevice, change_settings, settings
from stratagem._private import backend_started_by, backends_started


@exported("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the machine's devices, without starting a backend (as `tf.config.list_physical_devices`)."""
    counts = {"CPU": 1, "GPU": len(visible_gpus(os.environ)) if _uses_cuda() else 0, "TPU": visible_tpus(os.environ)}
    found = [PhysicalDevice(f"/physical_device:{kind}:{i}", kind) for kind, n in counts.items() for i in range(n)]
    return [d for d in found if device_type in (None, d.device_type)]


def _uses_cuda() -> bool:
    """Returns whether JAX's CUDA plugin is installed."""
    names = {(d.metadata["Name"] or "").lower() for d in importlib.metadata.distributions()}
    return any(n.startswith("jax-cuda") and n.endswith("-plugin") for n in names)


@exported("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the devices that JAX may use: all that there are, but for what `set_visible_devices` left out."""
    chosen = settings().visible
    return [d for d in list_physical_devices(device_type) if d in chosen.get(d.device_type, (d,))]


@exported("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: Sequence[PhysicalDevice] | PhysicalDevice, device_type: str | None = None) -> None:
    """Lets JAX use only some devices of this machine (as `tf.config.set_visible_devices`).

    devices: those to use. device_type: the kind of device that this is about, else all kinds: with `[]` and "GPU", programs
    run on the CPU. Visible devices are numbered from 0 again.

    Raises:
        ValueError: a device that this machine does not have, or of another kind than `device_type`; the CPU left out, which
            JAX always uses.
        RuntimeError: a backend has started with other devices.
    """
    listed = list(devices) if isinstance(devices, Sequence) else [devices]
    existing = list_physical_devices()
    for device in listed:
        if device not in existing:
            raise ValueError(f"Unrecognized device: {device!r}. Devices here: {existing}.")
        if device_type not in (None, device.device_type):
            raise ValueError(f"Unrecognized device: {device!r} is no {device_type}.")
    kinds = {d.device_type for d in existing} if device_type is None else {device_type}
    if device_type == "CPU" and not listed:
        raise ValueError("The CPU cannot be hidden: JAX uses it beside accelerators.")
    changed = dict(settings().visible)
    changed |= {kind: tuple(d for d in listed if d.device_type == kind) for kind in kinds - {"CPU"}}
    before = get_visible_devices()
    if backends_started():
        if [d for d in existing if d in changed.get(d.device_type, (d,))] != before:
            raise RuntimeError(
                f"Visible devices cannot be modified after being initialized{backend_started_by()}: call set_visible_devices "
                "first in the program."
            )
        return
    change_settings(visible=changed)
    _show_to_jax(existing)


def _show_to_jax(existing: Sequence[PhysicalDevice]) -> None:
    """Gives JAX the setting: numbers of GPUs, and the kinds of which a device is visible."""
    visible = get_visible_devices()
    gpus = [str(i) for i, d in enumerate(d for d in existing if d.device_type == "GPU") if d in visible]
    if gpus:
        jax.config.update("jax_cuda_visible_devices", ",".join(gpus))
    hidden = {d.device_type for d in existing} - {d.device_type for d in visible}
    before = settings().hidden
    if hidden:
        if before is None:
            change_settings(hidden=HiddenKinds(jax.config.jax_platforms))  # type: ignore[attr-defined]
        platforms = {"GPU": "cuda", "TPU": "tpu", "CPU": "cpu"}
        shown = {d.device_type for d in visible}
        jax.config.update("jax_platforms", ",".join(name for kind, name in platforms.items() if kind in shown))
    elif before is not None:
        jax.config.update("jax_platforms", before.platforms)
        change_settings(hidden=None)


@exported("config.experimental.get_device_details")
def get_device_details(device: PhysicalDevice) -> dict[str, str | tuple[int, int]]:
    """Returns what is known of a GPU once a backend has started: `device_name` and `compute_capability`; {} for others.

    Raises ValueError for something else than a PhysicalDevice.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device!r}")
    gpus = get_visible_devices("GPU")
    if device not in gpus or not backends_started():
        return {}
    found = jax.local_devices(backend="gpu")[gpus.index(device)]
    major, _, minor = str(getattr(found, "compute_capability", "")).partition(".")
    details: dict[str, str | tuple[int, int]] = {"device_name": found.device_kind}
    return details | ({"compute_capability": (int(major), int(minor or 0))} if major else {})
