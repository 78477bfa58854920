"""The functions of `tf.math` and of the root that reduce, accumulate or search along dimensions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function

MIXED = (*FLOATS, *INTEGERS)
NEAR = {"float32": 1e-5, "float64": 1e-12}
FEW: dict[str, Any] = {"count": 10, "quick": (), "within": NEAR}


def reduced(*dtypes: str, special: bool = True) -> Callable[[Draw], Any]:
    """All dimensions, one, several, none; call 4 has one that does not exist."""

    def call(draw: Draw) -> Any:
        shape = draw.shape(0, 3)
        options: list[Any] = [None, []]
        if shape:
            axis = draw.axis(len(shape))
            options += [axis, [axis], [-1], list(range(len(shape)))]
        axis = 7 if draw.number == 4 else draw.choice(options)
        return [draw.array(shape, draw.choice(dtypes), special=special)], {"axis": axis, "keepdims": draw.flag()}

    return call


def of_places(draw: Draw) -> Any:
    """Ties among integers, NaN among floats; call 4 has an axis that does not exist, call 7 no entries."""
    shape = (2, 0) if draw.number == 7 else draw.shape(1, 3, min_size=1)
    axis = 7 if draw.number == 4 else draw.axis(len(shape))
    array = draw.array(shape, draw.choice(MIXED))
    return [array], {"axis": axis, "output_type": draw.choice(["int32", "int64"])}


def accumulated(*dtypes: str) -> Callable[[Draw], Any]:
    def call(draw: Draw) -> Any:
        shape = draw.shape(1, 3)
        more = {"exclusive": draw.flag(), "reverse": draw.flag()}
        axis = 7 if draw.number == 4 else draw.axis(len(shape))
        return [draw.array(shape, draw.choice(dtypes), special=False)], {"axis": axis, **more}

    return call


def of_best(draw: Draw) -> Any:
    """Call 4 asks for more than there are."""
    shape = draw.shape(1, 3, min_size=1)
    k = shape[-1] + 1 if draw.number == 4 else draw.integer(0, shape[-1])
    return [draw.array(shape, draw.choice(MIXED), special=False), k], {"sorted": True}


def of_hits(draw: Draw) -> Any:
    """Classes that exist and others."""
    rows, classes = draw.integer(1, 4), draw.integer(1, 4)
    targets = draw.array((rows,), draw.choice(INTEGERS), -1, classes)
    return [targets, draw.array((rows, classes), "float32", special=False), draw.integer(1, 3)], {}


def of_counts(draw: Draw) -> Any:
    more: dict[str, Any] = {"minlength": draw.choice([None, 3]), "maxlength": draw.choice([None, 2])}
    return [draw.array(draw.shape(1, 2, min_size=1), "int32", 0, 4)], {**more, "dtype": draw.choice(MIXED)}


def of_confusion(draw: Draw) -> Any:
    """Call 4 has a label beyond the classes."""
    size, dtype = draw.integer(1, 5), draw.choice(INTEGERS)
    labels, found = (draw.array((size,), dtype, 0, 2) for _ in range(2))
    classes = 1 if draw.number == 4 else draw.choice([3, 4])
    return [labels + (draw.number == 4) * 3, found, classes], {"dtype": draw.choice(MIXED)}


def of_segments(draw: Draw) -> Any:
    rows = draw.integer(1, 5)
    data = draw.array((rows, *draw.shape(0, 1, min_size=1)), draw.choice((*FLOATS, "int64")), special=False)
    return [data, np.sort(draw.array((rows,), draw.choice(INTEGERS), 0, 3))], {}


def of_products(draw: Draw) -> Any:
    """Batches that broadcast, either operand transposed; call 4 has sizes that do not fit."""
    dtype = draw.choice((*FLOATS, "int32", "complex64"))
    batch, (m, k, n) = draw.shape(0, 1, min_size=1), (draw.integer(1, 3) for _ in range(3))
    a_turned, b_turned = draw.flag(), draw.flag()
    a = (k, m) if a_turned else (m, k)
    b = (n, k + (draw.number == 4)) if b_turned else (k + (draw.number == 4), n)
    arrays = [
        draw.array((*batch, *a), dtype, special=False),
        draw.array((*(batch if draw.flag() else ()), *b), dtype, special=False),
    ]
    return arrays, {"transpose_a": a_turned, "transpose_b": b_turned}


def of_norms(draw: Draw) -> Any:
    shape = draw.shape(1, 3, min_size=1)
    order, axis = draw.choice(["euclidean", 1, 2, 3.5, np.inf]), draw.choice([None, -1, 0])
    array = draw.array(shape, draw.choice(FLOATS), special=False)
    return [array], {"ord": order, "axis": axis, "keepdims": draw.flag()}


FUNCTIONS: list[Function] = [
    *(Function(f"reduce_{name}", reduced(*MIXED), gradients=True, **FEW) for name in ("sum", "mean", "max", "min")),
    Function("reduce_prod", reduced(*MIXED, special=False), gradients=True, **FEW),
    Function("reduce_logsumexp", reduced(*FLOATS), gradients=True, **FEW),
    *(Function(f"reduce_{name}", reduced("bool"), **FEW) for name in ("all", "any")),
    *(
        Function(f"math.reduce_{name}", reduced(*FLOATS, special=False), gradients=True, **FEW)
        for name in ("std", "variance", "euclidean_norm")
    ),
    Function("math.count_nonzero", reduced(*MIXED, "bool"), **FEW),
    Function("math.zero_fraction", lambda d: ([d.array(d.shape(), d.choice(MIXED), -1, 1)], {}), **FEW),
    *(Function(name, of_places, **FEW) for name in ("argmax", "argmin")),
    Function("cumsum", accumulated(*MIXED), gradients=True, **FEW),
    Function("math.cumprod", accumulated(*MIXED), gradients=True, **FEW),
    Function("math.cumulative_logsumexp", accumulated(*FLOATS), gradients=True, **FEW),
    Function("math.top_k", of_best, gradients=True, **FEW),
    Function("math.in_top_k", of_hits, **{**FEW, "quick": (1,)}),
    Function("math.bincount", of_counts, **FEW),
    Function("math.confusion_matrix", of_confusion, **{**FEW, "quick": (4,)}),
    *(Function(f"math.segment_{name}", of_segments, gradients=True, **FEW) for name in ("sum", "max", "min")),
    Function("math.segment_mean", of_segments, gradients=True, **{**FEW, "quick": (0,)}),
    Function("matmul", of_products, gradients=True, **FEW),
    Function("norm", of_norms, gradients=True, **FEW),
]
