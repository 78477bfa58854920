"""Functions of blocks and sequences with TensorFlow 1's arguments and their order."""

from typing import Any

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._ops import Tensor, named
from stratagem._ops import nn as blocks
from stratagem._tf1.graph.functions.reductions import one_of


@exported(v1=["space_to_batch", "nn.space_to_batch"])
@named
def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """Returns the tensor with the entries of each block in the batch.

    A block is `block_shape`, or block_size in two dimensions. Raises TypeError without both, ValueError for both.
    """
    return blocks.space_to_batch(input, _shape(block_size, block_shape), paddings)


@exported(v1=["batch_to_space"])
@named
def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """Returns the tensor with entries of the batch in blocks: the inverse of `space_to_batch`, whose blocks it takes."""
    return blocks.batch_to_space(input, _shape(block_size, block_shape), crops)


def _shape(block_size: int | None, block_shape: Any) -> Any:
    given = one_of(block_size=block_size, block_shape=block_shape)
    if given is None:
        raise TypeError("block_size is missing: the size of a block in both dimensions.")
    return given if block_size is None else [block_size, block_size]


@exported(v1=["reverse_sequence"])
@named
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Returns the tensor with the first entries along `seq_axis` (formerly seq_dim) reversed, as many as `seq_lengths` says."""
    axes = one_of(seq_axis=seq_axis, seq_dim=seq_dim), one_of(batch_axis=batch_axis, batch_dim=batch_dim)
    return ops.reverse_sequence(input, seq_lengths, *axes)
