"""Counts the memory that arrays of a program take."""

import math
from collections.abc import Iterable
from typing import Any

from jax.extend import core as xc

from stratagem._private import sub_jaxprs


def largest_array(program: xc.Jaxpr) -> int:
    """Returns the bytes of the largest array that a program takes or makes, also in the programs inside of it."""
    own = (size([atom]) for equation in program.eqns for atom in (*equation.invars, *equation.outvars))
    inner = (largest_array(inside) for equation in program.eqns for inside in sub_jaxprs(equation.params))
    return max([0, *own, *inner, *(size([v]) for v in program.invars)])


def size(atoms: Iterable[Any]) -> int:
    """Returns the bytes of the arrays among values of a program; others, such as tokens, count nothing."""
    return sum(math.prod(a.aval.shape) * a.aval.dtype.itemsize for a in atoms if hasattr(a.aval, "shape"))
