"""Rows of tables, combined by segments and by the rows of sparse ids: sparse segments, and embeddings of sparse ids."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function_if_needed
from stratagem._core.values import CompositeTensor
from stratagem._ops._convert import Tensor, as_size, is_traced, known_sizes, static_int, tensor
from stratagem._ops._indexing import concrete, gather
from stratagem._ops._nn import embedding_lookup
from stratagem._ops._segments import unsorted_segment_sum
from stratagem._ops.sparse._dense import checked
from stratagem._ops.sparse._layout import fill_empty_rows, reshape, retain
from stratagem._ops.sparse._sparse_tensor import SparseTensor

_COMBINERS = ("mean", "sqrtn", "sum")


def _combined(rows: Tensor, segments: Any, count: int, combiner: str, weights: Any = None) -> Tensor:
    """The sum, mean, or sum over the root of the squared weights, of the rows of each segment; 0 for none."""
    factors = jnp.ones(rows.shape[:1], rows.dtype) if weights is None else tensor(weights).astype(rows.dtype)
    tail = (1,) * (rows.ndim - 1)
    total = unsorted_segment_sum(rows * factors.reshape((-1, *tail)), segments, count)
    if combiner == "sum":
        return total
    divisor = unsorted_segment_sum(factors if combiner == "mean" else factors * factors, segments, count)
    if combiner == "sqrtn":
        divisor = jnp.sqrt(divisor)
    divisor = divisor.reshape((-1, *tail))
    return jnp.where(divisor == 0, jnp.zeros_like(total), total / jnp.where(divisor == 0, 1, divisor))


def _segments(combiner: str, data: Any, indices: Any, segment_ids: Any, num_segments: Any) -> Tensor:
    if num_segments is None:
        ids = concrete("tf.sparse.segment_*", segment_ids)
        count = int(ids[-1]) + 1 if len(ids) else 0
    else:
        count = static_int(num_segments, "a tensor is the number of segments")
    rows, segments = gather(data, indices), tensor(segment_ids)
    if rows.shape[:1] != segments.shape:
        raise InvalidArgumentError(f"{list(segments.shape)} segment_ids are not those of {rows.shape[0]} indices.")
    return _combined(rows, segments, count, combiner)


@exported("sparse.segment_sum", v1=())
def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: object = False,
) -> Tensor:
    """Returns the sum of the rows of each segment; `indices` are the numbers of the rows, `segment_ids` sorted."""
    return _segments("sum", data, indices, segment_ids, num_segments)


@exported("sparse.segment_mean", v1=())
def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: object = False,
) -> Tensor:
    """Returns the mean of the rows of each segment, 0 for none; `indices` are the numbers of the rows, `segment_ids` sorted."""
    return _segments("mean", data, indices, segment_ids, num_segments)


@exported("sparse.segment_sqrt_n", v1=())
def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: object = False,
) -> Tensor:
    """Returns the sum of the rows of each segment over the root of their number, 0 for none; as `segment_mean` otherwise."""
    return _segments("sqrtn", data, indices, segment_ids, num_segments)


def _parts(ids: Any) -> tuple[Any, Any, int | None]:
    """The ids, their rows, and how many rows there are: up to the last with an id, as in TensorFlow; traced ones all."""
    if isinstance(ids, SparseTensor):
        values, rows = ids.values, ids.indices[:, 0]
        sizes = known_sizes(ids._shape)
        everything = None if sizes is None else as_size(sizes[0])
    else:
        values, rows, everything = ids.flat_values, ids.value_rowids(), int(ids.shape[0])
    if is_traced(rows):
        return values, rows, everything
    return values, rows, int(np.max(np.asarray(rows), initial=-1)) + 1


@exported("nn.embedding_lookup_sparse", v1=())
@host_function_if_needed
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: object = False,
) -> Tensor:
    """Returns the rows of a table for the ids in each row of a sparse matrix, or of a ragged one, combined to one: (rows, ...).

    sp_weights: of each id, None for 1. combiner: "mean" by default, "sum", or "sqrtn", the sum over the root of the squared
    weights. max_norm: rows of the table are scaled down to it. Raises TypeError for other ids, and ValueError for another
    combiner and for weights of other ids.
    """
    how = combiner or "mean"
    if how not in _COMBINERS:
        raise ValueError(f"embedding_lookup_sparse: the combiner is one of {', '.join(_COMBINERS)}, got {combiner!r}.")
    if not isinstance(sp_ids, CompositeTensor):
        raise TypeError(f"sp_ids must be SparseTensor or RaggedTensor, got {type(sp_ids).__name__}.")
    values, rows, count = _parts(sp_ids)
    weights = None if sp_weights is None else _parts(sp_weights)[0]
    if weights is not None and weights.shape != values.shape:
        raise ValueError(f"embedding_lookup_sparse: {weights.shape} weights are not those of {values.shape} ids.")
    total = static_int(rows[-1] + 1, "the number of rows of embedding_lookup_sparse") if count is None else count
    return _combined(embedding_lookup(params, values, max_norm), rows, total, how, weights)


@exported("nn.safe_embedding_lookup_sparse", v1=())
@host_function_if_needed
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: object = False,
) -> Tensor:
    """Returns what `embedding_lookup_sparse` does for each row, also for rows without ids: (*shape[:-1], ...).

    Negative ids do not count, nor do ids whose weight is not positive, unless they are summed. default_id: the id of a row
    without others; without it, its result is 0. Indices are known: how many count depends on values.
    """
    ids = checked("safe_embedding_lookup_sparse", sparse_ids)
    shape = ids.known_shape("safe_embedding_lookup_sparse")
    flat = (int(np.prod(shape[:-1], dtype=int)), shape[-1])
    ids, weights = reshape(ids, flat), None if sparse_weights is None else reshape(sparse_weights, flat)
    kept = concrete("safe_embedding_lookup_sparse", ids.values) >= 0
    if weights is not None and combiner != "sum":
        kept &= concrete("safe_embedding_lookup_sparse", weights.values) > 0
    ids, weights = retain(ids, kept), None if weights is None else retain(weights, kept)
    filled, empty = fill_empty_rows(ids, 0 if default_id is None else default_id)
    weights = None if weights is None else fill_empty_rows(weights, 1)[0]
    found = embedding_lookup_sparse(embedding_weights, filled, weights, combiner, max_norm)
    if default_id is None:
        found = jnp.where(empty.reshape((-1, *[1] * (found.ndim - 1))), jnp.zeros_like(found), found)
    return found.reshape((*shape[:-1], *found.shape[1:]))
