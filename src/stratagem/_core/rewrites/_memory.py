"""largest_array: how much memory the largest array of a program takes."""

import math
from typing import Any

from jax.extend import core as xc

from stratagem._private import sub_jaxprs


def largest_array(program: xc.Jaxpr) -> int:
    """Returns the bytes of the largest array that a program takes or makes, also in the programs inside of it."""
    own = (_size(atom.aval) for equation in program.eqns for atom in (*equation.invars, *equation.outvars))
    inner = (largest_array(inside) for equation in program.eqns for inside in sub_jaxprs(equation.params))
    return max([0, *own, *inner, *(_size(v.aval) for v in program.invars)])


def _size(aval: Any) -> int:
    """Returns the bytes of an array; 0 for what is none, such as a token."""
    return math.prod(aval.shape) * aval.dtype.itemsize if hasattr(aval, "shape") else 0
