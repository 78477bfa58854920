"""The log of where programs run: `tf.debugging.set_log_device_placement`."""

import logging

import jax

from stratagem._base.exports import exported
from stratagem._core.mesh import ReplicaMesh

_log = logging.getLogger("stratagem.device_placement")


@exported("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Lets the log say, for every step and function that is compiled from now on, on which devices it runs; or not again.

    TensorFlow says it of every operation. Here a program runs on its devices as a whole; an operation outside of one runs
    on the devices of its operands, or on that of `tf.device`.
    """
    _log.setLevel(logging.DEBUG if enabled else logging.NOTSET)


@exported("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Returns what `set_log_device_placement` set; False if nothing."""
    return _log.level == logging.DEBUG


def log_placement(name: str, mesh: ReplicaMesh) -> None:
    """Says where a compiled program runs, if that is asked for."""
    if get_log_device_placement():
        _log.info("Executing %s on %s", name, ", ".join(map(_name, mesh.devices)))


def _name(device: jax.Device) -> str:
    return str(device)
