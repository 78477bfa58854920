"""Compiled functions that go to other processes: exported programs, by the shapes of what they are called with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax
import numpy as np
from jax import export

from stratagem.step import compiler_options

Shapes = tuple[tuple[tuple[int, ...], str], ...]


class Missing(Exception):  # never seen by users: the coordinator sends what is missing, and the worker tries again
    """A program that has not come yet. where: which function. shapes: of its arguments."""

    def __init__(self, where: Any, shapes: Any) -> None:
        super().__init__(where, shapes)
        self.where, self.shapes = where, shapes


def shapes_of(values: Sequence[Any]) -> Shapes:
    """What decides which program is used."""
    return tuple((tuple(v.shape), str(v.dtype)) for v in values)


def exported(function: Any, *arguments: Any) -> bytes:
    """A jitted function for arguments of these shapes, as bytes that another process can run."""
    specs = jax.tree.map(lambda v: jax.core.ShapedArray(tuple(v.shape), np.dtype(v.dtype)), arguments)
    return bytes(export.export(function)(*specs).serialize())


def imported(program: bytes, donated: tuple[int, ...] = ()) -> Callable[..., Any]:
    """The function again, compiled here."""
    call = export.deserialize(bytearray(program)).call
    return jax.jit(call, donate_argnums=donated, compiler_options=compiler_options(jax.default_backend()))


def local(value: Any) -> Any:
    """A NumPy array as a JAX array of the same dtype. (JAX would cut a 64-bit one.)"""
    return jax.numpy.asarray(value, dtype=value.dtype) if isinstance(value, np.ndarray | np.generic) else value


@final
@dataclass(eq=False)
class TravelledPiece:
    """A piece of a recipe in another process."""

    index: int
    programs: dict[Shapes, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, values: list[Any]) -> list[Any]:
        shapes = shapes_of(values)
        program = self.programs.get(shapes)
        if program is None:
            raise Missing(("piece", self.index), shapes)
        return program(list(map(local, values)))
