"""Hooks at the places where Python code waits for a JAX array."""

import contextlib
from collections.abc import Callable
from typing import Any

from jax._src.array import ArrayImpl

_around: Callable[[], contextlib.AbstractContextManager[None]] | None = None


def wait_within(around: Callable[[], contextlib.AbstractContextManager[None]]) -> None:
    """Enters `around()` from now on wherever Python waits for an array: reading its value, or waiting until it is ready."""
    global _around
    _around = around


def intercept_waits() -> None:
    """Let every wait be within what `wait_within` was given.

    NumPy's own (`np.asarray(array)`, `np.mean(array)`) are seen only where they fail, as it takes the buffer protocol first.
    """
    array: Any = ArrayImpl
    value, ready, item = array._value.fget, array.block_until_ready, array.item

    def new_value(self: Any) -> Any:
        if self._npy_value is not None or _around is None:
            return value(self)
        with _around():  # also where it is ready: what broke is raised here
            return value(self)

    def new_ready(self: Any) -> Any:
        if _around is None:
            return ready(self)
        with _around():
            return ready(self)

    def new_item(self: Any, *args: Any) -> Any:
        new_ready(self)
        return item(self, *args)

    array._value, array.block_until_ready, array.item = property(new_value), new_ready, new_item
