"""Python's operators on tensors, variables, numbers and NumPy's arrays, on either side of each other."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
MIXED = (*FLOATS, *INTEGERS)
COMPLEX = (*MIXED, "complex64", "complex128")
BITS = (*INTEGERS, "uint8", "bool")
# What is on the left and on the right, by the number of the call. Every third call runs compiled.
SIDES = (
    ("tensor", "tensor"), ("tensor", "number"), ("tensor", "tensor"), ("number", "tensor"), ("numpy", "tensor"),
    ("tensor", "number"), ("variable", "tensor"), ("tensor", "variable"), ("number", "tensor"), ("variable", "number"),
    ("numpy", "variable"), ("tensor", "numpy"), ("number", "variable"), ("tensor", "numpy"), ("variable", "variable"),
)  # fmt: skip


@dataclass
class Operand:
    """An operand that is not a tensor: a Python number, NumPy's array or a variable with this value."""

    kind: str
    value: Any

    def of(self, tf: Any) -> Any:
        if self.kind == "variable" and isinstance(self.value, np.ndarray):
            self.value = tf.Variable(self.value)  # of every trace of a call
        return self.value


def operands(
    dtypes: Sequence[str], left: tuple[float, float] = (-9, 9), right: tuple[float, float] = (-9, 9)
) -> Callable[[Draw], Drawn]:
    """Two operands of one dtype that broadcast, with numbers in these ranges."""

    def call(draw: Draw) -> Drawn:
        shapes, dtype, found = draw.broadcastable(max_rank=2, min_size=1), draw.choice(dtypes), []
        for shape, kind, bounds in zip(shapes, SIDES[draw.number], (left, right), strict=True):
            low = max(bounds[0], 0) if dtype == "uint8" else bounds[0]
            array = np.asarray(draw.array(() if kind == "number" else shape, dtype, low, bounds[1], special=False))
            found.append(array if kind == "tensor" else Operand(kind, array.item() if kind == "number" else array))
        return found, {}

    return call


def matrices(draw: Draw) -> Drawn:
    dtype = draw.choice((*FLOATS, "int32", "complex64"))
    arrays = [draw.array(shape, dtype, special=False) for shape in ((2, 2, 3), (3, 2))]
    kinds = ["tensor" if kind == "number" else kind for kind in SIDES[draw.number]]
    return [a if kind == "tensor" else Operand(kind, a) for a, kind in zip(arrays, kinds, strict=True)], {}


def tenths(draw: Draw) -> Drawn:
    """Whole numbers and tenths, whose quotients are not whole only because tenths are rounded."""
    dtype = draw.choice(FLOATS)
    arrays = [draw.array((3,), "int32", 1, 9).astype(dtype), (draw.array((3,), "int32", 1, 5) / 10).astype(dtype)]
    kinds = SIDES[draw.number]
    values = [array[0] if kind == "number" else array for array, kind in zip(arrays, kinds, strict=True)]
    return [
        v if kind == "tensor" else Operand(kind, v.item() if kind == "number" else v)
        for v, kind in zip(values, kinds, strict=True)
    ], {}


def specials(draw: Draw) -> Drawn:
    """Zeros, infinities and NaN."""
    dtype = draw.choice(FLOATS)
    return [draw.array((3, 1), dtype), np.array([2.0, -2.0, 0.0, np.inf, -np.inf, np.nan], dtype)], {}


def unequal_shapes(draw: Draw) -> Drawn:
    """Shapes that do not broadcast."""
    return [draw.array((draw.integer(2, 3),), "float32"), draw.array((draw.integer(4, 5),), "float32")], {}


def one(*dtypes: str) -> Callable[[Draw], Drawn]:
    """A tensor, in every fourth call a variable."""

    def call(draw: Draw) -> Drawn:
        array = draw.array(draw.shape(0, 2), draw.choice(dtypes))
        return [Operand("variable", array) if draw.number % 4 == 3 else array], {}

    return call


def applied(
    name: str, call: Callable[[Draw], Drawn], count: int = len(SIDES), of: str = "", **options: Any
) -> Function:
    """Python's function of this name for an operator; of: what it is applied to, in the name of the row."""
    function = getattr(operator, name)

    def called(tf: Any, *values: Any) -> Any:
        return function(*(v.of(tf) if isinstance(v, Operand) else v for v in values))

    more: dict[str, Any] = {"quick": (), "within": {"float32": 1e-5, "float64": 1e-12}, **options}
    return Function(f"operator.{name}{of}", call, count, called=called, **more)


HALF = "an operator is JAX's: integers are divided to the default float, which has 32 bits; tf.truediv gives float64"
REMAINDER = (
    "an operator is JAX's, as Python's: it divides what the remainder leaves; tf.math.floordiv rounds the quotient"
)
NO_SHAPE = "an operator is JAX's, which has no answer to shapes that do not broadcast"
GRADIENT: dict[str, Any] = {"gradients": True}
FUNCTIONS: list[Function] = [
    applied("add", operands(COMPLEX), quick=(3,), **GRADIENT),
    *(applied(name, operands(COMPLEX), **GRADIENT) for name in ("sub", "mul")),
    applied("truediv", operands(COMPLEX, right=(1, 4)), differ=dict.fromkeys((0, 6, 8), HALF), **GRADIENT),
    applied("floordiv", operands(MIXED, right=(1, 4)), **GRADIENT),
    applied("floordiv", tenths, of=" of tenths", differ=dict.fromkeys((1, 3, 6, 7, 8, 10, 11, 12, 13, 14), REMAINDER)),
    applied("floordiv", specials, 3, of=" of infinities", differ=dict.fromkeys(range(3), REMAINDER)),
    *(applied(name, specials, 3, of=" of infinities") for name in ("truediv", "mod", "pow")),
    *(
        applied(name, unequal_shapes, 3, of=" of unequal shapes", differ=dict.fromkeys(range(3), NO_SHAPE))
        for name in ("eq", "ne")
    ),
    applied("mod", operands(MIXED, right=(1, 4)), **GRADIENT),
    applied("pow", operands(MIXED, (1, 3), (0, 3)), **GRADIENT),
    applied("matmul", matrices, **GRADIENT),
    *(applied(name, operands(MIXED, (-1, 1), (-1, 1))) for name in ("lt", "le", "gt", "ge")),
    *(applied(name, operands((*COMPLEX, "bool"), (-1, 1), (-1, 1))) for name in ("eq", "ne")),
    *(applied(f"{name}_", operands(BITS), quick=(6,)) for name in ("and", "or")),
    applied("xor", operands(BITS)),
    *(applied(name, one(*COMPLEX), 8, **GRADIENT) for name in ("neg", "abs")),
    applied("invert", one(*BITS), 8),
]
