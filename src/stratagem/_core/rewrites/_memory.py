"""Sizes of a program's arrays: the memory that they take, the rows that they have."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._private import sub_jaxprs

_VECTOR: Final = 8  # of float32


def largest_array(program: xc.Jaxpr) -> int:
    """Returns the bytes of the largest array that a program takes or makes, also in the programs inside of it."""
    own = (size([atom]) for equation in program.eqns for atom in (*equation.invars, *equation.outvars))
    inner = (largest_array(inside) for equation in program.eqns for inside in sub_jaxprs(equation.params))
    return max([0, *own, *inner, *(size([v]) for v in program.invars)])


def has_short_rows(program: xc.Jaxpr) -> bool:
    """Returns whether more elements that a program makes lie in rows shorter than a vector than in rows of one to four.

    A vector is eight floats, half of a register of AVX-512.
    """
    elements = _elements_by_row(program)
    return sum(n for row, n in elements.items() if 1 < row < _VECTOR) > sum(
        n for row, n in elements.items() if _VECTOR <= row < 4 * _VECTOR
    )


def _elements_by_row(program: xc.Jaxpr) -> Counter[int]:
    """Returns how many floating-point elements a program makes in rows, the last dimension, of each length."""
    elements: Counter[int] = Counter()
    for equation in program.eqns:
        made: list[Any] = [v.aval for v in equation.outvars]
        inner = [_elements_by_row(inside) for inside in sub_jaxprs(equation.params)]
        for inside in inner:
            elements.update(inside)
        for array in () if inner else made:
            if len(getattr(array, "shape", ())) > 1 and jnp.issubdtype(array.dtype, jnp.floating):
                elements[array.shape[-1]] += math.prod(array.shape)
    return elements


def size(atoms: Iterable[Any]) -> int:
    """Returns the bytes of the arrays among values of a program; others, such as tokens, count nothing."""
    return sum(math.prod(a.aval.shape) * a.aval.dtype.itemsize for a in atoms if hasattr(a.aval, "shape"))
