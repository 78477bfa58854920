"""Computes the per-replica sizes of a batch: how many of its rows each replica gets."""

from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from stratagem._core.values import CompositeTensor, TensorShape
from stratagem._data.elements._nest import Array
from stratagem._data.elements._spec import Spec, with_other_rows


def piece_sizes(rows: int, replicas: int) -> tuple[int, ...]:
    """The rows of every replica: ceil(rows / replicas), from the batch's actual size; the last ones may have fewer or none."""
    piece = -(-rows // replicas)
    ends = [min(end, rows) for end in accumulate([piece] * replicas, initial=0)]
    return tuple(b - a for a, b in pairwise(ends))


def round_sizes(batch_size: int, replicas: int, first: int) -> list[int]:
    """The rows of pieces that cycle through the replicas, starting at replica `first`; they differ by one row at most.

    Source: `batch_sizes_for_worker` in TensorFlow.
    """
    sizes = [batch_size // replicas + (i < batch_size % replicas) for i in range(replicas)]
    return sizes[first:] + sizes[:first]


def piece_spec(spec: Spec, replicas: int) -> Spec:
    """The spec of one replica's piece; the number of rows is unknown unless all pieces of all batches have the same."""
    check_batched(spec)
    if spec.shape.rank is None:
        return spec
    rows = spec.shape[0]
    piece = None if rows is None or rows % replicas else rows // replicas
    return with_other_rows(spec, piece)


def check_batched(leaf: Spec | CompositeTensor | Array) -> None:
    """Raises ValueError for an element without a batch dimension."""
    tensor: Any = leaf
    rank = tensor.ndim if isinstance(tensor, np.ndarray) else TensorShape(tensor.shape).rank
    if rank == 0:
        raise ValueError(
            "A dataset can be distributed when its elements are batches, but this one has a scalar of "
            f"dtype {tensor.dtype} in its elements, which has no rows to divide among the replicas. "
            "Call `.batch(global_batch_size)` on the dataset first."
        )
