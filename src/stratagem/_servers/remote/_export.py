"""Compiled functions that are sent to other processes: exported programs, one for each set of argument shapes."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax
import numpy as np
from jax import export

from stratagem._base.errors import UnimplementedError
from stratagem._core.rewrites import compiler_options
from stratagem._core.values import Maker
from stratagem._private import on_device

Shapes = tuple[tuple[tuple[int, ...], Any], ...]


class MissingProgramError(
    Exception
):  # never seen by users: the coordinator sends the program, and the worker continues
    """A program that was not sent yet. function: identifies the function. shapes: of its arguments."""

    def __init__(self, function: Any, shapes: Any) -> None:
        super().__init__(function, shapes)
        self.function, self.shapes = function, shapes


def shapes_of(values: Sequence[Any]) -> Shapes:
    """Returns the shapes and dtypes of arrays, by which a program is chosen."""
    return tuple((tuple(v.shape), v.dtype) for v in values)


def export_program(function: Any, *arguments: Any) -> bytes:
    """Returns a jitted function, exported for arguments of these shapes, as bytes that another process can run."""
    specs = jax.tree.map(lambda v: jax.core.ShapedArray(tuple(v.shape), np.dtype(v.dtype)), arguments)
    try:
        return bytes(export.export(function)(*specs).serialize())
    except NotImplementedError as error:
        if "callback" not in str(error):
            raise
        raise UnimplementedError(
            "A step that workers in other processes take calls back into Python (tf.print, tf.py_function, tf.numpy_function, "
            "a table that changes), but only its compiled program goes there. Return the values, and print or use them where "
            "they are fetched."
        ) from None


def imported(program: bytes, donated: tuple[int, ...] = ()) -> Callable[..., Any]:
    """Returns an exported function, compiled in this process."""
    call = export.deserialize(bytearray(program)).call
    return jax.jit(call, donate_argnums=donated, compiler_options=compiler_options(jax.default_backend()))


@functools.lru_cache(maxsize=64)
def imported_maker(program: bytes) -> Maker:
    """Returns an exported function that makes first values.

    It is compiled without the options of steps, so that it makes the same numbers as the function in the process that
    exported it.
    """
    return jax.jit(export.deserialize(bytearray(program)).call)


def to_jax_array(value: Any) -> Any:
    """Returns a NumPy array as a JAX array of the same dtype, also if that has 64 bits; other values as they are."""
    return on_device(np.asarray(value), jax.local_devices()[0]) if isinstance(value, np.ndarray | np.generic) else value


def as_argument(value: Any) -> Any:
    """Returns a value as an argument of a compiled function.

    A NumPy array goes to the device with the call, which is faster, unless its dtype has 64 bits, of which JAX makes 32.
    """
    return to_jax_array(value) if value.dtype.itemsize == 8 else value


@final
@dataclass(eq=False)
class ImportedSubprogram:
    """A plan's subprogram in another process: its programs, by the shapes of the values that they read."""

    index: int
    programs: dict[Shapes, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, values: list[Any]) -> list[Any]:
        shapes = shapes_of(values)
        program = self.programs.get(shapes)
        if program is None:
            raise MissingProgramError(("subprogram", self.index), shapes)
        return program(list(map(as_argument, values)))
