"""Devices of JAX: how they are printed, and questions about them that TensorFlow's programs ask of a name."""

from collections.abc import Callable

import jax

Name = Callable[[jax.Device], str | None]


def name_devices(name: Name) -> None:
    """Let `str(device)` be `name(device)`, unless that is None, and let a device answer for its name what text answers.

    Devices stay what they are to JAX: they are equal to no text, and `repr` is JAX's.
    """
    device = jax.Device
    text: Callable[[jax.Device], str] = device.__str__

    def new_text(self: jax.Device) -> str:
        return name(self) or text(self)

    device.__str__ = new_text
    device.__contains__ = lambda self, part: part in new_text(self)
    device.startswith = lambda self, *args: new_text(self).startswith(*args)
    device.endswith = lambda self, *args: new_text(self).endswith(*args)
