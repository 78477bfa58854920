"""Memory that XLA's compiler has freed goes back to the system."""

import functools
from typing import Any, Final

import jax

from stratagem._base.allocator import give_back_freed_memory

_COMPILED: Final = "/jax/core/compile/backend_compile_duration"
_LONG: Final = 0.05  # seconds; there is little to give back of less, which takes a millisecond


@functools.cache  # once a process
def give_back_after_compiling() -> None:
    """Has what a long compilation freed given back before the program runs, which takes memory of its own."""
    jax.monitoring.register_event_duration_secs_listener(_give_back)


def _give_back(event: str, duration_secs: float, **_: Any) -> None:
    if event == _COMPILED and duration_secs > _LONG:
        give_back_freed_memory()
