"""The functions of `tf.math` that compute each entry by itself, of one tensor or of several that broadcast."""

from typing import Any

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function, binary, elementwise

MIXED = (*FLOATS, *INTEGERS)
COMPLEX = (*FLOATS, "complex64", "complex128")
# Both libraries approximate these in the dtype.
NEAR = {"float32": 1e-5, "float64": 1e-12}


def one(name: str, low: float = -3.0, high: float = 3.0, dtypes: Any = FLOATS, **options: Any) -> Function:
    return elementwise(f"math.{name}", low, high, dtypes, **{"count": 8, "within": NEAR, "quick": (), **options})


def two(name: str, *bounds: tuple[float, float], dtypes: Any = FLOATS, **options: Any) -> Function:
    return binary(f"math.{name}", *bounds, dtypes=dtypes, **{"count": 8, "within": NEAR, "quick": (), **options})


def of_flags(count: int) -> Any:
    def call(draw: Draw) -> Any:
        shapes = draw.broadcastable(2)
        return [draw.array(shape, "bool") for shape in shapes[:count]], {}

    return call


def of_coefficients(draw: Draw) -> Any:
    """From none to three coefficients, from the highest power on."""
    shape, dtype = draw.shape(0, 2), draw.choice(FLOATS)
    coefficients = [draw.array(shape, dtype, special=False) for _ in range(draw.integer(0, 3))]
    return [coefficients, draw.array(shape, dtype, special=False)], {}


def of_addends(draw: Draw) -> Any:
    """Call 4 has two shapes."""
    shape, dtype = draw.shape(0, 2), draw.choice(MIXED)
    arrays = [draw.array(shape, dtype) for _ in range(draw.integer(1, 3))]
    return [[*arrays, draw.array((5, 5), dtype)] if draw.number == 4 else arrays], {}


def of_scaled(draw: Draw) -> Any:
    dtype = draw.choice(MIXED)
    return [draw.array((), dtype, special=False), draw.array(draw.shape(), dtype)], {}


NOTHING = "a tape sees nothing of a tensor without entries"
GRADIENT: dict[str, Any] = {"gradients": True}
FUNCTIONS: list[Function] = [
    *(one(name, **GRADIENT) for name in ("exp", "expm1", "erf", "erfc", "sin", "cos", "tan", "sinh", "cosh", "tanh")),
    *(
        one(name, **GRADIENT)
        for name in ("sigmoid", "log_sigmoid", "softplus", "asinh", "atan", "ceil", "floor", "rint")
    ),
    *(one(name, 0.1, 5.0, **GRADIENT) for name in ("log", "log1p", "sqrt", "rsqrt", "lgamma")),
    one("digamma", 0.1, 5.0, quick=(3,), **GRADIENT),
    *(one(name, -0.9, 0.9, **GRADIENT) for name in ("acos", "asin", "atanh", "erfinv")),
    one("acosh", 1.1, 4.0, quick=(6,), **GRADIENT),
    *(one(name, dtypes=MIXED, **GRADIENT) for name in ("negative", "sign", "square", "round")),
    one("reciprocal", dtypes=COMPLEX, **GRADIENT),
    *(one(name, dtypes=COMPLEX) for name in ("real", "imag", "conj")),
    one("angle", dtypes=COMPLEX, quick=(1,)),
    *(one(name) for name in ("is_nan", "is_inf", "is_finite")),
    *(two(name, dtypes=MIXED, **GRADIENT) for name in ("add", "subtract", "multiply", "maximum", "minimum")),
    two("squared_difference", dtypes=MIXED, **GRADIENT),
    *(two(name, dtypes=MIXED) for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")),
    two("divide", dtypes=MIXED, **GRADIENT),
    two("truediv", dtypes=MIXED, **GRADIENT),
    *(two(name, (-9, 9), (1, 4), dtypes=MIXED, **GRADIENT) for name in ("floordiv",)),
    two("floormod", (-9, 9), (1, 4), dtypes=MIXED, quick=(6,), **GRADIENT),
    *(binary(f"truncate{name}", (-9, 9), (-4, -1), INTEGERS, count=4, quick=()) for name in ("div", "mod")),
    *(two(name, **GRADIENT) for name in ("atan2",)),
    two("multiply_no_nan", quick=(6,), **GRADIENT),
    two("divide_no_nan", differ={3: NOTHING}, **GRADIENT),
    two("xlogy", (0, 3), (0, 3), differ={6: NOTHING}, **GRADIENT),
    two("xlog1py", (0, 3), (0, 3), differ={6: NOTHING, 7: NOTHING}, **GRADIENT),
    two("xdivy", (0, 3), (0, 3), differ={2: NOTHING, 3: NOTHING}, **GRADIENT),
    two("pow", (0.1, 3), (-2, 2), **GRADIENT),
    *(Function(f"math.logical_{name}", of_flags(2), 4, quick=()) for name in ("and", "or", "xor")),
    Function("math.logical_not", of_flags(1), 4, quick=()),
    Function("math.polyval", of_coefficients, 8, gradients=True, quick=()),
    Function("math.add_n", of_addends, 8, gradients=True, quick=()),
    Function("math.scalar_mul", of_scaled, 8, gradients=True, quick=()),
    *(
        binary(f"bitwise.bitwise_{name}", dtypes=(*INTEGERS, "uint8"), count=4, quick=())
        for name in ("and", "or", "xor")
    ),
    *(binary(f"bitwise.{name}_shift", (-9, 9), (0, 5), INTEGERS, count=4, quick=()) for name in ("left", "right")),
    elementwise("bitwise.invert", dtypes=(*INTEGERS, "uint8"), count=4, quick=()),
]
