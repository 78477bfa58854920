"""Blocks of space as entries of the batch, and back: then what dilated windows see is next to each other in one entry."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, folds_constants, on_device, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols


@exported("space_to_batch_nd")
@folds_constants
def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Moves the entries of each block of the dimensions after the first into the batch.

    block_shape: a list of the sizes of a block, in as many dimensions. paddings: a list of pairs, the zeros before and after
    each of them. From (n, *sizes, *rest) to (prod(block_shape) * n, *(padded sizes / block_shape), *rest). All numbers are
    known. Raises InvalidArgumentError for too few dimensions, for sizes below 1, negative paddings, and sizes that blocks do
    not divide.
    """
    array, blocks, pairs = _parts("space_to_batch", input, block_shape, paddings)
    rest = array.ndim - 1 - len(blocks)
    padded = jnp.pad(array, [(0, 0), *pairs, *[(0, 0)] * rest])
    sizes = padded.shape[1 : 1 + len(blocks)]
    if any(size % block for size, block in zip(sizes, blocks, strict=True)):
        raise InvalidArgumentError(
            f"tf.space_to_batch: blocks of {list(blocks)} do not divide {list(sizes)} with paddings."
        )
    cut = [part for size, block in zip(sizes, blocks, strict=True) for part in (size // block, block)]
    tail = padded.shape[1 + len(blocks) :]
    whole = [1 + 2 * i for i in range(len(blocks))]
    order = [*(i + 1 for i in whole), 0, *whole, *range(1 + len(cut), 1 + len(cut) + rest)]
    moved = padded.reshape(array.shape[0], *cut, *tail).transpose(order)
    return moved.reshape(array.shape[0] * math.prod(blocks), *cut[::2], *tail)


@exported("space_to_batch", "nn.space_to_batch", v1=())
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Moves the entries of each block of the dimensions after the first into the batch; see `space_to_batch_nd`."""
    return space_to_batch_nd(input, block_shape, paddings)


@exported("batch_to_space", v1=["batch_to_space_nd"])
@folds_constants
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Moves the entries of the batch into blocks of the dimensions after the first: the inverse of `space_to_batch`.

    block_shape: a list, or one number for two dimensions. crops: a list of pairs, how much is cut off before and after
    each dimension. From (n, *sizes, *rest) to (n / prod(block_shape), *(sizes * block_shape - crops), *rest). Raises
    InvalidArgumentError for too few dimensions, a batch that blocks do not divide, and crops that are negative or too large.
    """
    shape = [int(block_shape)] * 2 if np.ndim(block_shape) == 0 else block_shape
    array, blocks, pairs = _parts("batch_to_space", input, shape, crops)
    count, inner = math.prod(blocks), array.shape[1 : 1 + len(blocks)]
    sizes = [size * block for size, block in zip(inner, blocks, strict=True)]
    if array.shape[0] % count or any(sum(pair) > size for pair, size in zip(pairs, sizes, strict=True)):
        raise InvalidArgumentError(
            f"tf.batch_to_space: {array.shape[0]} entries do not make blocks of {list(blocks)}, or the crops {pairs} are "
            f"larger than {sizes}."
        )
    tail = array.shape[1 + len(blocks) :]
    pieces = array.reshape(*blocks, array.shape[0] // count, *inner, *tail)
    first = len(blocks)
    pairwise = [axis for i in range(first) for axis in (first + 1 + i, i)]
    moved = pieces.transpose([first, *pairwise, *range(2 * first + 1, pieces.ndim)])
    whole = moved.reshape(array.shape[0] // count, *sizes, *tail)
    ends = [slice(before, size - after) for (before, after), size in zip(pairs, sizes, strict=True)]
    return whole[(slice(None), *ends)]


def _parts(
    name: str, value: Any, block_shape: Any, pairs: Any
) -> tuple[Tensor, tuple[int, ...], list[tuple[int, int]]]:
    """The tensor, the sizes of a block, and a pair of numbers for each."""
    array = tensor(value)
    if np.ndim(block_shape) != 1:
        raise InvalidArgumentError(f"tf.{name} takes a list of the sizes of a block, got {block_shape}.")
    blocks = static_shape(block_shape)
    rows = pairs if isinstance(pairs, list | tuple) else np.asarray(pairs)
    found = [static_shape(row) for row in rows]
    fits = len(found) == len(blocks) and all(len(row) == 2 and min(row) >= 0 for row in found)
    if not fits or min(blocks, default=1) < 1 or array.ndim < 1 + len(blocks):
        raise InvalidArgumentError(
            f"tf.{name} takes sizes of 1 or more, a pair of numbers from 0 for each, and a tensor of more dimensions, got "
            f"{list(blocks)}, {found} and shape {list(array.shape)}."
        )
    return array, blocks, [(row[0], row[1]) for row in found]


@exported("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the paddings with which blocks divide a shape, and the crops that undo them: two int32 tensors (n, 2).

    base_paddings: what is padded in any case, and not undone. All numbers are known.
    """
    sizes, blocks = np.array(static_shape(input_shape), np.int32), np.array(static_shape(block_shape), np.int32)
    rows = [(0, 0)] * len(blocks) if base_paddings is None else base_paddings
    base = np.array([static_shape(row) for row in (rows if isinstance(rows, list | tuple) else np.asarray(rows))])
    base = base.reshape(-1, 2).astype(np.int32)
    missing = (blocks - (sizes + base.sum(1)) % blocks) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + missing], 1)
    return on_device(paddings.astype(np.int32)), on_device(np.stack([0 * missing, missing], 1).astype(np.int32))


# --- A function of windows, dilated -----------------------------------------------------------------------------------


@exported("nn.with_space_to_batch")
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: str,
    op: Callable[[Tensor, int, str], Tensor],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """Returns `op(input, n, padding)`, a function of windows in n dimensions, as if windows were dilated by `dilation_rate`.

    `op` is given the entries of blocks of that shape in the batch, and "VALID": what "SAME" pads is computed from
    `filter_shape`. spatial_dims: the n dimensions, by default those after the batch, or after the channels where data_format
    begins with "NC". Raises ValueError for rates below 1, dimensions that do not increase from 1 or more, another padding,
    and "SAME" without `filter_shape`.
    """
    array, rates = tensor(input), static_shape(dilation_rate)
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    given = range(first, first + len(rates)) if spatial_dims is None else static_shape(spatial_dims)
    axes = list(given)
    if min(rates) < 1 or axes != sorted(set(axes)) or axes[0] < 1 or len(axes) != len(rates):
        raise ValueError(
            f"tf.nn.with_space_to_batch takes rates of 1 or more and as many increasing dimensions from 1, got {rates}, {axes}."
        )
    if padding not in ("SAME", "VALID") or (padding == "SAME" and filter_shape is None):
        raise ValueError(f"tf.nn.with_space_to_batch takes 'VALID', or 'SAME' with filter_shape, got {padding!r}.")
    if set(rates) == {1}:
        return op(array, len(rates), padding)
    base = _same_paddings(filter_shape, rates) if padding == "SAME" else [(0, 0)] * len(rates)
    found = required_space_to_batch_paddings([array.shape[axis] for axis in axes], rates, base)
    paddings, crops = (_at(axes, np.asarray(numbers).tolist(), [0, 0]) for numbers in found)
    blocks = _at(axes, rates, 1)
    return batch_to_space(op(space_to_batch_nd(array, blocks, paddings), len(rates), "VALID"), blocks, crops)


def _same_paddings(filter_shape: Any, rates: Sequence[int]) -> list[tuple[int, int]]:
    """Returns what "SAME" pads for windows of stride 1 that are dilated."""
    extra = [(size - 1) * rate for size, rate in zip(static_shape(filter_shape), rates, strict=False)]
    return [(e // 2, e - e // 2) for e in extra]


def _at(axes: Sequence[int], values: Sequence[Any], otherwise: Any) -> list[Any]:
    """The values for dimensions from 1 to the last of `axes`."""
    by_axis = dict(zip(axes, values, strict=True))
    return [by_axis.get(axis, otherwise) for axis in range(1, axes[-1] + 1)]


accept_symbols(globals())
