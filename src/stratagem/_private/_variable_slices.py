"""Calls that follow a read of a variable: `v.value()`, though `v.value` is an array, and on slices `v[i].assign(x)`."""

import dis
import functools
import sys
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import keras
from jax._src import core as jax_core
from jax._src.array import ArrayImpl

from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._private._variables import KerasVariable

_LOADS = dis.opmap["LOAD_ATTR" if sys.version_info >= (3, 12) else "LOAD_METHOD"]
_CACHE = dis.opmap["CACHE"]


def _is_called(frame: FrameType) -> bool:
    """Returns whether the attribute that the frame loads now is called at once: `v.value()`, and not `v.value`.

    Python compiles the two differently: an instruction of its own (3.11), or the lowest bit of the argument (since 3.12).
    """
    code, place = frame.f_code.co_code, frame.f_lasti
    while code[place] == _CACHE:  # in 3.12 the place is the last of the instruction's caches, once it has run twice
        place -= 2
    return code[place] == _LOADS and (sys.version_info < (3, 12) or bool(code[place + 1] & 1))


def _itself(value: Any) -> Any:
    return value


def let_values_be_called() -> None:
    """Let `variable.value()` return what `variable.value` is, which stays an array for everyone who reads it."""
    read = KerasVariable.value.fget

    def value(self: Any) -> Any:
        found, frame = read(self), sys._getframe(1)
        return functools.partial(_itself, found) if _is_called(frame) else found

    KerasVariable.value = property(value, doc=KerasVariable.value.__doc__)


# For a slice that lives: a function that returns the variable, and the index.
_slices: WeakIdentityMap[Any, tuple[Callable[[], Any], Any]] = WeakIdentityMap()


def let_slices_be_assigned(
    checked: Callable[[keras.Variable, tuple[int, ...], Any], Any],
    assign: Callable[[keras.Variable, Any, Any], Any],
) -> None:
    """Let `variable[index]` have a method `assign(value, name=None)`, and let loops over a variable end.

    checked(variable, shape, index) returns the index that is read, or raises; assign(variable, index, value) assigns.
    """

    def slice_of(self: Any, index: Any) -> Any:
        array = self.value
        index = checked(self, array.shape, index)
        found = array.__getitem__(index)
        # A whole slice may be the array that the variable stores, and must not keep the variable.
        owner = weakref.ref(self) if found is array else lambda: self
        _slices[found] = owner, index
        return found

    def assign_slice(self: Any) -> Callable[..., Any]:
        known = _slices.get(self)
        owner = known and known[0]()
        if known is None or owner is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'assign': a tensor cannot be changed. Assign to a variable, "
                "or to a slice of one where it is read, as in `v[1].assign(x)`."
            )
        return lambda value, name=None: assign(owner, known[1], value)

    def elements(self: Any) -> Iterator[Any]:
        return iter(self.value)

    KerasVariable.__getitem__, KerasVariable.__iter__ = slice_of, elements
    tensors: tuple[Any, ...] = (ArrayImpl, jax_core.Tracer)
    for cls in tensors:
        cls.assign = property(
            assign_slice, doc="The method that assigns to the slice of a variable that this tensor is."
        )
