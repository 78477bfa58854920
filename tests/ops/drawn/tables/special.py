"""The special functions of `tf.math`, `tf.math.special`, and what `tf.math` has for sequences and segments."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, Draw, Function, elementwise

# Both libraries approximate these in the dtype; ours are SciPy's and XLA's approximations.
NEAR = {"float32": 2e-5, "float64": 1e-11}
# TensorFlow's derivatives of these are differences of nearly equal numbers.
SERIES = {"float32": 2e-4, "float64": 1e-9}


def of_one(name: str, low: float, high: float, **options: Any) -> Function:
    """A function of one tensor with few entries: compiling is what takes time."""
    return elementwise(name, low, high, **{"count": 4, "gradients": True, "within": NEAR, **options})


def of_several(name: str, *bounds: tuple[float, float], **options: Any) -> Function:
    """A function of tensors that broadcast, each within its bounds."""

    def call(draw: Draw) -> Any:
        shapes, dtype = draw.broadcastable(len(bounds), max_rank=2), draw.choice(FLOATS)
        arrays = [draw.array(s, dtype, *b, special=False) for s, b in zip(shapes, bounds, strict=True)]
        return arrays, {}

    return Function(name, call, **{"count": 5, "gradients": True, "within": NEAR, **options})


def _beta(draw: Draw) -> Any:
    shape, dtype = draw.shape(max_rank=2), draw.choice(FLOATS)
    bounds = ((0.1, 4.0), (0.1, 4.0), (-0.1, 1.1))
    return [draw.array(shape, dtype, *b, special=False) for b in bounds], {}


def _orders(draw: Draw) -> Any:
    a, x = draw.broadcastable(max_rank=2)
    dtype = draw.choice(FLOATS)
    return [draw.array(a, "int32", -1, 4).astype(dtype), draw.array(x, dtype, 0.25, 5.0, special=False)], {}


def _permutation(draw: Draw) -> Any:
    size = draw.integer(0, 5)
    numbers = sorted(range(size), key=lambda _: draw.real(0.0, 1.0))
    if numbers and draw.integer(0, 3) == 0:
        numbers[0] = draw.integer(-1, size)
    return [np.array(numbers, draw.choice(("int32", "int64")))], {}


def _sequence(draw: Draw) -> Any:
    array = draw.array(draw.shape(0, 2, max_size=3), draw.choice(("float32", "int64", "bool")), -1, 2)
    return [np.sort(array, axis=None).reshape(array.shape) if draw.flag() else array], {}


def _segments(kind: str) -> Callable[[Draw], Any]:
    def call(draw: Draw) -> Any:
        rows, count = draw.integer(0, 5), draw.integer(1, 4)
        data = draw.array((rows, *draw.shape(0, 1)), draw.choice((*FLOATS, "int64")), special=False)
        ids = draw.array((rows,), draw.choice(("int32", "int64")), 0 if kind == "sorted" else -1, count - 1)
        return ([data, np.sort(ids)], {}) if kind == "sorted" else ([data, ids, count], {})

    return call


def _points(draw: Draw) -> Any:
    return [draw.integer(1, 30), draw.integer(1, 4), draw.integer(0, 20)], {"dtype": draw.choice(FLOATS)}


def _largest(draw: Draw) -> Any:
    shape = draw.shape(1, 2, min_size=2)
    return [draw.array(shape, "float32", special=False), draw.integer(1, shape[-1])], {}


BESSEL = {"j": (-12.0, 12.0), "i": (-4.0, 4.0), "k": (-1.0, 6.0), "y": (-1.0, 12.0)}
FUNCTIONS: list[Function] = [
    *(of_one(f"math.special.bessel_{n}", *BESSEL[n[0]], quick=()) for n in ("i0", "i0e", "i1", "i1e", "j0", "j1")),
    *(of_one(f"math.special.bessel_{n}", *BESSEL[n[0]], quick=()) for n in ("k0", "k0e", "k1", "y1")),
    of_one("math.special.bessel_k1e", *BESSEL["k"]),
    of_one("math.special.bessel_y0", *BESSEL["y"], differ={0: "a tape sees nothing of a tensor without entries"}),
    of_one("math.special.dawsn", -5.0, 5.0),
    of_one("math.special.expint", -1.0, 6.0, quick=()),
    of_one("math.special.fresnel_cos", -4.0, 4.0),
    of_one("math.special.fresnel_sin", -4.0, 4.0, quick=()),
    of_one("math.special.spence", -1.0, 5.0, quick=()),
    of_one("math.erfcinv", -0.1, 2.1),
    of_one("math.ndtri", -0.1, 1.1, quick=()),
    of_one("math.reciprocal_no_nan", -3.0, 3.0),
    of_several("math.igamma", (-0.5, 5.0), (-0.5, 8.0), within=SERIES, count=3),
    of_several("math.igammac", (-0.5, 5.0), (-0.5, 8.0), within=SERIES, quick=()),
    Function("math.betainc", _beta, count=4, gradients=True, within=SERIES),
    of_several("math.zeta", (0.5, 4.0), (-1.5, 5.0), within=SERIES, count=3),
    Function("math.polygamma", _orders, count=5, gradients=True, within=SERIES),
    of_several("math.xlog1py", (-2.0, 2.0), (-0.5, 3.0)),
    of_several("math.nextafter", (-2.0, 2.0), (-2.0, 2.0), within={}),
    Function("math.lbeta", lambda d: ([d.array(d.shape(1, 3), d.choice(FLOATS), 0.1, 5.0)], {}), 3, NEAR, gradients=True),
    Function("math.invert_permutation", _permutation, count=8),
    Function("math.is_non_decreasing", _sequence, count=8),
    Function("math.is_strictly_increasing", _sequence, count=8),
    Function("math.segment_prod", _segments("sorted"), count=6),
    Function(
        "math.unsorted_segment_sqrt_n", _segments("unsorted"), count=6, gradients=True,
        differ={5: "a tape sees nothing of a tensor without entries"},
    ),
    Function("math.sobol_sample", _points, count=6),
    Function("math.approx_max_k", _largest, count=4, gradients=True),
]  # fmt: skip
