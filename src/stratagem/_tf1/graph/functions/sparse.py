"""Functions of sparse tensors whose parameters TensorFlow 1 has in another order, under other names, or alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem import _ops as ops
from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike, UserFunction
from stratagem._ops import Tensor, named, sparse
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.sparse import SparseTensorValue as SparseTensorValue
from stratagem._tf1.graph._function_wrappers import titled
from stratagem._tf1.graph.functions.reductions import one_of


class _KeywordRequired:
    """In place of the first argument of a function that takes keywords alone."""


_KEYWORDS = _KeywordRequired()


def _sparse(value: Any) -> Any:
    return SparseTensor(*value) if isinstance(value, SparseTensorValue) else value


@exported(v1=["sparse_add", "sparse.add"])
def add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Returns the sum: of two sparse tensors a sparse one, of a sparse and a dense one a dense one.

    threshold: sparse sums of a smaller magnitude are left out, by default none; `thresh` is its old name. Raises ValueError
    for both names, TypeError without sparse tensors, InvalidArgumentError for different shapes.
    """
    least = one_of(threshold=threshold, thresh=thresh)
    return sparse.add(_sparse(a), _sparse(b), 0 if least is None else least)


@exported(v1=["sparse_concat", "sparse.concat"])
def concat(
    axis: Any,
    sp_inputs: Sequence[SparseTensor] | SparseTensor,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Returns sparse tensors one after the other along a dimension, in row-major order.

    expand_nonconcat_dim: whether other sizes may differ; the largest counts. concat_dim: another name of `axis`, for None.
    Raises InvalidArgumentError for sizes that differ, ValueError for both names of the dimension, and, as TensorFlow does, for
    `expand_nonconcat_dims`.
    """
    if expand_nonconcat_dims is not None:
        raise ValueError(
            "Cannot specify both 'expand_nonconcat_dims' and 'expand_nonconcat_dim', whose default is False."
        )
    where = one_of(axis=axis, concat_dim=concat_dim)
    given = [_sparse(each) for each in (sp_inputs if isinstance(sp_inputs, list | tuple) else [sp_inputs])]
    return sparse.concat(where, given, bool(expand_nonconcat_dim), name)


@exported(v1=["sparse_split", "sparse.split"])
def split(
    keyword_required: Any = _KEYWORDS,
    sp_input: SparseTensor | None = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """Returns a sparse tensor in this many parts along a dimension. Raises ValueError without keywords, or without one of them.

    split_dim: another name of `axis`.
    """
    where = one_of(axis=axis, split_dim=split_dim)
    if keyword_required is not _KEYWORDS:
        raise ValueError("Keyword arguments are required for this function.")
    for given, parameter in ((sp_input, "sp_input"), (num_split, "num_split"), (where, "axis")):
        if given is None:
            raise ValueError(f"{parameter} is required")
    return sparse.split(_sparse(sp_input), num_split, where, name)


def _reduction(function: UserFunction, name: str, *, output_is_sparse: bool) -> UserFunction:
    def reduce(
        sp_input: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        reduction_axes: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        along = one_of(axis=axis, reduction_axes=reduction_axes)
        keeps = bool(one_of(keepdims=keepdims, keep_dims=keep_dims))
        return function(_sparse(sp_input), along, keeps, output_is_sparse)

    kind = "a sparse tensor" if output_is_sparse else "a tensor"
    doc = f"{function.__doc__} The result is {kind}. `reduction_axes` and `keep_dims` are old names of `axis` and `keepdims`."
    return titled(reduce, name, doc)


reduce_sum = exported(v1=["sparse_reduce_sum", "sparse.reduce_sum"])(
    _reduction(sparse.reduce_sum, "reduce_sum", output_is_sparse=False)
)
reduce_sum_sparse = exported(v1=["sparse_reduce_sum_sparse", "sparse.reduce_sum_sparse"])(
    _reduction(sparse.reduce_sum, "reduce_sum_sparse", output_is_sparse=True)
)
reduce_max = exported(v1=["sparse_reduce_max", "sparse.reduce_max"])(
    _reduction(sparse.reduce_max, "reduce_max", output_is_sparse=False)
)
reduce_max_sparse = exported(v1=["sparse_reduce_max_sparse", "sparse.reduce_max_sparse"])(
    _reduction(sparse.reduce_max, "reduce_max_sparse", output_is_sparse=True)
)


def _of_segments(function: UserFunction) -> UserFunction:
    def segments(
        data: Any,
        indices: Any,
        segment_ids: Any,
        name: str | None = None,
        num_segments: Any = None,
        sparse_gradient: bool = False,
    ) -> Any:
        return function(data, indices, segment_ids, num_segments, name)

    return named(titled(segments, function.__name__, function.__doc__))


segment_sum = exported(v1=["sparse_segment_sum", "sparse.segment_sum"])(_of_segments(sparse.segment_sum))
segment_mean = exported(v1=["sparse_segment_mean", "sparse.segment_mean"])(_of_segments(sparse.segment_mean))
segment_sqrt_n = exported(v1=["sparse_segment_sqrt_n", "sparse.segment_sqrt_n"])(_of_segments(sparse.segment_sqrt_n))


@exported(v1=["sparse_to_dense"])
@named
def to_dense_of_parts(
    sparse_indices: Any,
    output_shape: ShapeLike,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor of this shape with the values at these places, and the default elsewhere (`sparse_to_dense`).

    sparse_indices: (n, rank), (n,) of a vector, or one place of it. sparse_values: (n,), or one for all places.
    validate_indices: whether places have to be in order, each once; else the last value counts. Raises InvalidArgumentError
    unless they are, and for places outside.
    """
    places = np.asarray(ops.tensor(sparse_indices))
    places = places.reshape((-1, 1)) if places.ndim < 2 else places
    values = ops.tensor(sparse_values)
    values = ops.broadcast_to(values, [len(places)]) if values.ndim == 0 else values
    if validate_indices:
        return sparse.to_dense(SparseTensor(places.astype(np.int64), values, output_shape), default_value)
    found = ops.fill(output_shape, ops.cast(default_value, values.dtype))
    return ops.tensor_scatter_nd_update(found, places, values)


@exported(v1=["sparse_merge", "sparse.merge"])
def merge(
    sp_ids: SparseTensor | Sequence[SparseTensor],
    sp_values: SparseTensor,
    vocab_size: Any | Sequence[Any],
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Returns the values at the places that ids give: the last dimension becomes one of `vocab_size` for each tensor of ids.

    already_sorted: whether the places are in order. Raises TypeError unless a list of ids has a list of sizes,
    InvalidArgumentError for an id that is not in [0, size).
    """
    several = isinstance(sp_ids, list | tuple)
    if several is not isinstance(vocab_size, list | tuple):
        raise TypeError("sp_ids and vocab_size of sparse_merge are one each, or lists of one length.")
    given: Any = sp_ids if several else [sp_ids]
    sizes = [int(np.asarray(size)) for size in (vocab_size if several else [vocab_size])]
    if len(given) != len(sizes):
        raise ValueError(f"sparse_merge takes as many sizes as tensors of ids, got {len(sizes)} and {len(given)}.")
    tensors = [_sparse(each) for each in given]
    values = _sparse(sp_values)
    columns = [np.asarray(each.values).astype(np.int64) for each in tensors]
    for ids, size in zip(columns, sizes, strict=True):
        if ((ids < 0) | (ids >= size)).any():
            raise InvalidArgumentError(f"sparse_merge: ids are in [0, {size}), got {ids.min()} to {ids.max()}.")
    outer = np.asarray(tensors[0].indices)[:, :-1]
    shape = [*np.asarray(tensors[0].dense_shape)[:-1].tolist(), *sizes]
    found = SparseTensor(np.concatenate([outer, np.stack(columns, axis=1)], axis=1), values.values, np.array(shape))
    return found if already_sorted else sparse.reorder(found)


@exported(v1=["sparse_matmul"])
@named
def matmul_of_zeros(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the product of two dense matrices, float32. a_is_sparse, b_is_sparse: hints that they have many zeros, unused."""
    return ops.cast(ops.matmul(a, b, transpose_a, transpose_b), np.float32)


@exported(v1=["convert_to_tensor_or_sparse_tensor"])
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Returns a sparse tensor of what is one, and a tensor of all else.

    Raises RuntimeError for a sparse one of another dtype.
    """
    found = _sparse(value)
    if not isinstance(found, SparseTensor):
        return ops.convert_to_tensor(found, dtype)
    if dtype is not None and ops.as_dtype(dtype) != ops.as_dtype(found.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {ops.as_dtype(dtype)}, Actual: {ops.as_dtype(found.dtype)}"
        )
    return found
