"""Compiled functions that go to other processes: exported programs, by the shapes of what they are called with."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast, final

import jax
import numpy as np
from jax import export

from stratagem._base.errors import UnimplementedError
from stratagem._core.step import compiler_options
from stratagem._core.values import Maker
from stratagem._private import on_device

Shapes = tuple[tuple[tuple[int, ...], Any], ...]


class Missing(Exception):  # never seen by users: the coordinator sends what is missing, and the worker tries again
    """A program that has not come yet. where: which function. shapes: of its arguments."""

    def __init__(self, where: Any, shapes: Any) -> None:
        super().__init__(where, shapes)
        self.where, self.shapes = where, shapes


def shapes_of(values: Sequence[Any]) -> Shapes:
    """What decides which program is used."""
    return tuple((tuple(v.shape), v.dtype) for v in values)


def exported(function: Any, *arguments: Any) -> bytes:
    """A jitted function for arguments of these shapes, as bytes that another process can run."""
    specs = jax.tree.map(lambda v: jax.core.ShapedArray(tuple(v.shape), np.dtype(v.dtype)), arguments)
    try:
        return bytes(export.export(function)(*specs).serialize())
    except NotImplementedError as error:
        if "callback" not in str(error):
            raise
        raise UnimplementedError(
            "A step that workers in other processes take calls back into Python (tf.print, tf.py_function, tf.numpy_function), "
            "but only its compiled program goes there. Return the values, and print or use them where they are fetched."
        ) from None


def imported(program: bytes, donated: tuple[int, ...] = ()) -> Callable[..., Any]:
    """The function again, compiled here."""
    call = export.deserialize(bytearray(program)).call
    return jax.jit(call, donate_argnums=donated, compiler_options=compiler_options(jax.default_backend()))


@functools.lru_cache(maxsize=64)
def imported_maker(program: bytes) -> Maker:
    """A maker of first values. Without the options of steps: its numbers are those that it makes at home."""
    return cast(Maker, jax.jit(export.deserialize(bytearray(program)).call))


def local(value: Any) -> Any:
    """A NumPy array as a JAX array of the same dtype. (JAX would cut a 64-bit one.)"""
    return on_device(np.asarray(value), jax.local_devices()[0]) if isinstance(value, np.ndarray | np.generic) else value


def given(value: Any) -> Any:
    """A value as a compiled function takes it. NumPy's go to the device with the call, which is faster; not 64 bits."""
    return local(value) if value.dtype.itemsize == 8 else value


@final
@dataclass(eq=False)
class ExportedSubprogram:
    """A subprogram of a plan in another process."""

    index: int
    programs: dict[Shapes, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, values: list[Any]) -> list[Any]:
        shapes = shapes_of(values)
        program = self.programs.get(shapes)
        if program is None:
            raise Missing(("subprogram", self.index), shapes)
        return program(list(map(given, values)))
