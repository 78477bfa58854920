"""Asynchronous execution: contexts that let operations run while Python goes on, as JAX's operations always do."""

import contextlib
from collections.abc import Iterator

import jax

from stratagem._base.exports import exported


@exported("experimental.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """Waits at the end of its body for what was printed, checked or written in it; errors are raised where they happen."""
    yield
    jax.effects_barrier()


@exported("experimental.async_clear_error")
def async_clear_error() -> None:
    """Does nothing: an error of an operation is raised once, and nothing of it is left."""


@exported("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type: object) -> Iterator[None]:
    """Changes nothing: XLA runs compiled functions."""
    yield
