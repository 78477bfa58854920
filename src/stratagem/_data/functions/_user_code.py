"""Calls map functions and predicates in Python: with jax.Arrays on the CPU, and NumPy for strings.

Measured on two shared cores, a 28x28 float32 image and a label: converting to jax.Arrays takes 60 us per element, each
operation on one 10 us more; the same on NumPy arrays 1 us. NumPy would be faster but wrong: `uint8_image / 255.` would
be float64, a float32 scalar times 2.5 too, and functions written for TensorFlow would get values that are not tensors.
So Python runs a function only if it cannot be traced (`_traced.py`).
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any, final

import jax

from stratagem._data.elements._nest import convert, map_leaves, to_jax
from stratagem._data.functions._draws import NO_PLACE, ElementSeeds, Places, Words, words
from stratagem._ops import is_tensor, tensor
from stratagem._private import seeds_from


@final
class UserFunction:
    """A user's function, applied to elements."""

    def __init__(self, function: Callable[..., Any], what: str) -> None:
        if not callable(function):
            raise TypeError(f"`{what}` must be callable, got {type(function).__name__}: {function!r:.100}.")
        self.function = function
        self.what = what

    @property
    def name(self) -> str:
        """The name for log lines."""
        return str(getattr(self.function, "__qualname__", None) or f"{self.function!r:.100}")

    def __call__(self, element: Any, seed: Words | None = None, place: Places | None = None) -> Any:
        """Calls the function and returns its result as NumPy; a tuple's members are separate arguments.

        seed, place (1,): determine its random numbers. Raises what the function raises.
        """
        nothing = words(NO_PLACE)[0]
        seeds = ElementSeeds(nothing if seed is None else seed, nothing if place is None else words(place)[0])
        with on_cpu(), seeds_from(seeds):
            try:
                result = self.function(*as_arguments(to_jax(element)))
            except StopIteration as error:  # it would be mistaken for the end of the dataset
                raise RuntimeError(f"{self.what} raised StopIteration.") from error
            return convert(map_leaves(_one_tensor, as_result(result)))


def holds_tensors(leaf: Any) -> bool:
    """Returns whether `leaf` is a tensor, represents one, or is a list that contains one."""
    return any(map(holds_tensors, leaf)) if isinstance(leaf, list | tuple) else is_tensor(leaf)


def _one_tensor(leaf: Any) -> Any:
    return tensor(leaf) if isinstance(leaf, list) and holds_tensors(leaf) else leaf


def as_result(returned: Any) -> Any:
    """Converts the result of a function to a nest. As in TF, a returned list is a tuple; inside a nest it would be a tensor."""
    return tuple(returned) if isinstance(returned, list) else returned


def as_arguments(element: Any) -> tuple[Any, ...]:
    """The arguments for a function: the members of a tuple separately; a dict or a named tuple as one."""
    return element if type(element) is tuple else (element,)


def on_cpu() -> contextlib.AbstractContextManager[Any]:
    """A context in which arrays are created and programs compiled on the CPU."""
    if jax.default_backend() == "cpu":
        return contextlib.nullcontext()
    context: contextlib.AbstractContextManager[Any] = jax.default_device(cpu())
    return context


@functools.cache
def cpu() -> jax.Device:
    """The CPU that the pipeline computes on."""
    return jax.local_devices(backend="cpu")[0]
