"""Sparse tensors in TensorFlow 1's functions, whose parameters have another order and other names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Built, Draw, Function
from tests.ops.drawn.tables.sparse import DTYPES, of_sparse, sparse


def _sum(draw: Draw) -> Any:
    shape, dtype = draw.shape(1, 2, min_size=1, max_size=3), draw.choice(DTYPES)
    return [sparse(draw, shape, dtype), sparse(draw, shape, dtype)], {}


def _concat(draw: Draw) -> Any:
    shape, dtype = draw.shape(1, 2, min_size=1, max_size=3), draw.choice(DTYPES)
    given = [sparse(draw, shape, dtype) for _ in range(draw.integer(1, 3))]
    axis = draw.axis(len(shape))
    if draw.number % 3 == 1:
        return [axis, given], {"expand_nonconcat_dims": True}
    return [axis, given, "joined", draw.flag()], {}


def _reduce(draw: Draw, shape: Sequence[int]) -> Any:
    axis = draw.choice((None, 0, -1, [0, len(shape) - 1]))
    if draw.number % 2:
        return [], {"reduction_axes": axis, "keep_dims": draw.flag()}
    return [axis, draw.flag()], {}


def _segments(draw: Draw) -> Any:
    data = draw.array((3, 2), draw.choice(("float32", "float64")), special=False)
    ids = np.sort(draw.array((3,), "int32", 0, 2))
    rest = ["name", 4] if draw.flag() else []
    return [data, draw.array((3,), "int32", 0, 2), ids, *rest], {}


def _merge(draw: Draw) -> Any:
    ids = sparse(draw, (3, 2), "int64", low=0)
    count = len(ids.args[1])
    ids.args[1][:] = np.arange(count)[::-1] % 5
    values = Built("SparseTensor", [ids.args[0], draw.array((count,), "float32", special=False), [3, 2]])
    return [ids, values, 7], {"already_sorted": draw.flag()}


def _to_dense(draw: Draw) -> Any:
    dtype = draw.choice(DTYPES)
    if draw.number % 3 == 0:
        return [np.array([0, 2]), [4], draw.array((2,), dtype, special=False)], {}
    if draw.number % 3 == 1:
        return [np.array([[0, 1], [1, 0]]), [2, 2], draw.array((), dtype, special=False), np.array(7, dtype)], {}
    return [np.array([2, 0]), [4], draw.array((2,), dtype, special=False)], {"validate_indices": False}


def _product(draw: Draw) -> Any:
    first, second = draw.flag(), draw.flag()
    a, b = (
        draw.array((3, 2) if first else (2, 3), "float32", -1, 1),
        draw.array((4, 3) if second else (3, 4), "float32", -1, 1),
    )
    return [a, b, first, second], {"a_is_sparse": True}


FUNCTIONS = [
    Function("compat.v1.sparse_add", _sum, count=6),
    Function("compat.v1.sparse_concat", _concat, count=6),
    *(
        of_sparse(f"compat.v1.sparse_reduce_{kind}{sparse}", _reduce, dtypes=("float32", "float64"))
        for kind in ("sum", "max")
        for sparse in ("", "_sparse")
    ),
    *(Function(f"compat.v1.sparse_segment_{kind}", _segments, count=3) for kind in ("sum", "mean", "sqrt_n")),
    Function("compat.v1.sparse_merge", _merge, count=4),
    Function("compat.v1.sparse_to_dense", _to_dense, count=6),
    Function("compat.v1.sparse_matmul", _product, count=3),
]
