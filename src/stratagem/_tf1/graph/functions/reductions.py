"""Reductions and positions with TensorFlow 1's arguments: keep_dims, reduction_indices, dimension."""

from collections.abc import Callable
from typing import Any

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops import Tensor, named
from stratagem._tf1.graph._function_wrappers import titled


def _reduction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Tensor:
        along = one_of(axis=axis, reduction_indices=reduction_indices)
        return function(input_tensor, along, bool(one_of(keepdims=keepdims, keep_dims=keep_dims)))

    doc = f"{function.__doc__} `reduction_indices` and `keep_dims` are old names of `axis` and `keepdims`."
    return named(titled(reduce, function.__name__, doc))


def one_of(**given: Any) -> Any:
    """Returns the one argument that is not None, or None if all are. Raises ValueError if several are given."""
    known = {name: value for name, value in given.items() if value is not None}
    if len(known) > 1:
        raise ValueError(f"Cannot specify both {' and '.join(map(repr, known))}: they are names of one argument.")
    return next(iter(known.values()), None)


reduce_all = exported(v1=["reduce_all", "math.reduce_all"])(_reduction(ops.reduce_all))
reduce_any = exported(v1=["reduce_any", "math.reduce_any"])(_reduction(ops.reduce_any))
reduce_logsumexp = exported(v1=["reduce_logsumexp", "math.reduce_logsumexp"])(_reduction(ops.reduce_logsumexp))
reduce_max = exported(v1=["reduce_max", "math.reduce_max"])(_reduction(ops.reduce_max))
reduce_mean = exported(v1=["reduce_mean", "math.reduce_mean"])(_reduction(ops.reduce_mean))
reduce_min = exported(v1=["reduce_min", "math.reduce_min"])(_reduction(ops.reduce_min))
reduce_prod = exported(v1=["reduce_prod", "math.reduce_prod"])(_reduction(ops.reduce_prod))
reduce_sum = exported(v1=["reduce_sum", "math.reduce_sum"])(_reduction(ops.reduce_sum))


@exported(v1=["count_nonzero", "math.count_nonzero"])
@named
def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = ops.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """Returns the number of elements that are not zero."""
    values, along = (
        one_of(input_tensor=input_tensor, input=input),
        one_of(axis=axis, reduction_indices=reduction_indices),
    )
    return ops.count_nonzero(values, along, bool(one_of(keepdims=keepdims, keep_dims=keep_dims)), dtype)


@exported(v1=["argmax", "math.argmax"])
@named
def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = ops.int64,
) -> Tensor:
    """Returns the position of the largest element along `axis` (formerly dimension), by default 0."""
    return ops.argmax(input, one_of(axis=axis, dimension=dimension), output_type)


@exported(v1=["argmin", "math.argmin"])
@named
def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = ops.int64,
) -> Tensor:
    """Returns the position of the smallest element along `axis` (formerly dimension), by default 0."""
    return ops.argmin(input, one_of(axis=axis, dimension=dimension), output_type)


@exported(v1=["norm", "linalg.norm"])
@named
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Returns the norm of vectors or matrices."""
    return ops.norm(tensor, ord, axis, bool(one_of(keepdims=keepdims, keep_dims=keep_dims)))
