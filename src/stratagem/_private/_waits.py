"""Waits of Python for an array of JAX."""

import contextlib
from collections.abc import Callable
from typing import Any

from jax._src.array import ArrayImpl


def intercept_waits(around: Callable[[], contextlib.AbstractContextManager[None]]) -> None:
    """Enter `around()` wherever Python waits for an array: reading its value, or waiting until it is ready."""
    array: Any = ArrayImpl
    value, ready = array._value.fget, array.block_until_ready

    def new_value(self: Any) -> Any:
        if self._npy_value is not None:
            return value(self)
        with around():  # also where it is ready: what broke is raised here
            return value(self)

    def new_ready(self: Any) -> Any:
        with around():
            return ready(self)

    array._value, array.block_until_ready = property(new_value), new_ready
