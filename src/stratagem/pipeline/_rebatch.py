"""How a batch is cut among replicas."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import jax

from stratagem.pipeline._nest import Array, Nest
from stratagem.pipeline._spec import TensorSpec


def piece_sizes(rows: int, replicas: int, nominal: int | None) -> tuple[int, ...]:
    """The rows of every replica.

    A batch of n rows is cut into pieces of ceil(n / replicas) rows, by its actual size; the last ones may be short or
    empty. With a `nominal` batch size (policy OFF) the pieces of a full batch differ by one row at most, and a short
    batch is cut at the same places.
    """
    if nominal is None:
        sizes = [-(-rows // replicas)] * replicas
    else:
        sizes = [nominal // replicas + (i < nominal % replicas) for i in range(replicas)]
    ends = [min(end, rows) for end in accumulate(sizes, initial=0)]
    return tuple(b - a for a, b in pairwise(ends))


def cut(batch: Nest, replicas: int, nominal: int | None) -> Nest:
    """A nest of lists of pieces: views of consecutive rows, one a replica."""
    return jax.tree.map(lambda leaf: _cut_leaf(leaf, replicas, nominal), batch)


def piece_spec(spec: TensorSpec, replicas: int) -> TensorSpec:
    """The spec of one replica's piece, its rows unknown unless all pieces of all batches have equally many."""
    check_batched(spec)
    if spec.shape.rank is None:
        return spec
    rows = spec.shape[0]
    piece = None if rows is None or rows % replicas else rows // replicas
    return TensorSpec((piece, *spec.shape[1:]), spec.dtype)


def check_batched(tensor: TensorSpec | Array) -> None:
    """Elements without a batch dimension cannot be divided among replicas."""
    if (tensor.shape.rank if isinstance(tensor, TensorSpec) else tensor.ndim) == 0:
        raise ValueError(
            "A data set can be distributed when its elements are batches, but this one has a scalar of "
            f"dtype {tensor.dtype} in its elements, which has no rows to divide among the replicas. "
            "Call `.batch(global_batch_size)` on the data set first."
        )


def _cut_leaf(leaf: Array, replicas: int, nominal: int | None) -> Sequence[Any]:
    check_batched(leaf)
    ends = accumulate(piece_sizes(len(leaf), replicas, nominal), initial=0)
    return [leaf[a:b] for a, b in pairwise(ends)]
