"""Functions at the root of `tf` for parts, rows, bins, blocks and slices of tensors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
MIXED = (*FLOATS, *INTEGERS)
NOTHING = "a tape sees nothing of a tensor without entries"


def of_parts(draw: Draw) -> Drawn:
    """Numbers of parts for some or all dimensions; the fourth call has a part that does not exist."""
    numbers, rest, count = draw.shape(0, 2), draw.shape(0, 1, min_size=1), draw.integer(1, 3)
    highest = count if draw.number == 4 else count - 1
    data = draw.array((*numbers, *rest), draw.choice(MIXED))
    return [data, draw.array(numbers, "int32", 0, highest), count], {}


def of_stitched(draw: Draw) -> Drawn:
    """Places that are a permutation, cut in two; the fourth call has a negative one, the sixth too few rows."""
    size, rest, dtype = draw.integer(1, 6), draw.shape(0, 2, min_size=1, max_size=2), draw.choice(MIXED)
    places = np.argsort(draw.array((size,), "float32", special=False)).astype(np.int32) - (draw.number == 4)
    cut = draw.integer(0, size)
    data = draw.array((size, *rest), dtype)
    return [[places[:cut], places[cut:]], [data[:cut], data[cut + (draw.number == 6) :]]], {}


def of_repeated_places(draw: Draw) -> Drawn:
    size = draw.integer(2, 5)
    places = np.append(np.arange(size), draw.integer(0, size - 1)).astype(np.int32)
    return [[places], [draw.array((size + 1, 2), draw.choice(MIXED))]], {}


def of_sequences(draw: Draw) -> Drawn:
    """Two axes of two to four; the fourth call has a length that is too long, the sixth one axis twice."""
    shape = draw.shape(2, 4, min_size=1)
    batch, axis = (draw.choice([(0, 1), (1, 0), (0, len(shape) - 1)])) if draw.number != 6 else (1, 1)
    lengths = draw.array((shape[batch],), draw.choice(INTEGERS), 0, shape[axis]) + (shape[axis] + 1) * (
        draw.number == 4
    )
    return [draw.array(shape, draw.choice((*MIXED, "bool"))), lengths], {"seq_axis": axis, "batch_axis": batch}


def of_places(draw: Draw) -> Drawn:
    """Places in a flat tensor; the fourth call has one behind the end, the sixth a rank that is not taken."""
    dims = draw.shape(1, 3, min_size=1)
    shape = (2, 2) if draw.number == 6 else draw.shape(0, 1)
    dtype = draw.choice(INTEGERS)
    places = draw.array(shape, dtype, -2, int(np.prod(dims)) - 1) + int(np.prod(dims)) * 2 * (draw.number == 4)
    return [places, np.array(dims, dtype)], {}


def of_values(bins: bool, dtypes: Sequence[str]) -> Callable[[Draw], Drawn]:
    """Values around a range; the fourth call has no bins."""

    def call(draw: Draw) -> Drawn:
        dtype = draw.choice(dtypes)
        low = draw.integer(-3, 1)
        ends = np.array([low, low + draw.integer(1, 3)], dtype)
        values = draw.array(draw.shape(0, 2), dtype, -4, 4, special=bins)
        return [values, ends], {"nbins": 0 if draw.number == 4 else draw.integer(1, 6)}

    return call


def of_blocks(draw: Draw) -> Drawn:
    """One or two dimensions in blocks; the fourth call has one that blocks do not divide."""
    blocks = [draw.integer(1, 3) for _ in range(draw.integer(1, 2))]
    inner = [draw.integer(1, 3) for _ in blocks]
    pads = [[0, (block - size) % block] for size, block in zip(inner, blocks, strict=True)]
    pads = [[block if draw.flag() else 0, after] for (_, after), block in zip(pads, blocks, strict=True)]
    if draw.number == 4:
        blocks = [inner[0] + pads[0][0] + pads[0][1] + 1, *blocks[1:]]
    return [draw.array((draw.integer(0, 2), *inner, *draw.shape(0, 1)), draw.choice(MIXED)), blocks, pads], {}


def of_batches(draw: Draw) -> Drawn:
    """The fourth call crops more than there is, the sixth has a batch that does not make blocks."""
    blocks = [draw.integer(1, 3) for _ in range(draw.integer(1, 2))]
    batch = int(np.prod(blocks)) * draw.integer(0, 2)
    blocks = [7, *blocks[1:]] if draw.number == 6 else blocks
    inner = [draw.integer(1, 3) for _ in blocks]
    crops = [[draw.integer(0, 1), 0 if size * block == 1 else 1] for size, block in zip(inner, blocks, strict=True)]
    crops[0][0] += 30 * (draw.number == 4)
    shape = (batch + (draw.number == 6), *inner, *draw.shape(0, 1))
    return [draw.array(shape, draw.choice(MIXED)), blocks, crops], {}


def of_shapes(draw: Draw) -> Drawn:
    count = draw.integer(1, 3)
    sizes, blocks = ([draw.integer(1, high) for _ in range(count)] for high in (9, 4))
    base = draw.choice([None, [[draw.integer(0, 2), draw.integer(0, 2)] for _ in range(count)]])
    return [sizes, blocks], {"base_paddings": base}


def doubled(x: Any, dimensions: int, padding: str) -> Any:
    return x * 2 + dimensions


def of_dilated(draw: Draw) -> Drawn:
    same, rates = draw.flag(), [draw.integer(1, 3), draw.integer(1, 2)]
    axes = draw.choice([None, [1, 2], [1, 3], [2, 3]])
    x = draw.array((1, *(draw.integer(2, 4) for _ in range(3))), "float32", special=False)
    more = {"filter_shape": [draw.integer(1, 3), draw.integer(1, 3), 1, 1]} if same or draw.flag() else {}
    return [x, rates, "SAME" if same else "VALID", doubled], {**more, "spatial_dims": axes}


def of_slices(draw: Draw) -> Drawn:
    """Bounds inside and outside, both directions, all masks."""
    shape = draw.shape(1, 3)
    count = draw.integer(1, len(shape))
    begin, end = ([draw.integer(-4, 4) for _ in range(count)] for _ in range(2))
    strides = draw.choice([None, [draw.choice([1, 2, -1, -2]) for _ in range(count)]])
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    given = {mask: draw.choice([0, 0, 1, 2]) for mask in masks if draw.flag()}
    return [draw.array(shape, draw.choice(MIXED)), begin, end, strides], given


def of_several(draw: Draw) -> Drawn:
    return [[draw.array(draw.shape(0, 2), draw.choice((*MIXED, "bool"))) for _ in range(draw.integer(1, 3))]], {}


def of_quotients(draw: Draw) -> Drawn:
    a, b = draw.broadcastable(max_rank=2)
    dtype = "int32" if draw.number == 3 else draw.choice((*FLOATS, "complex64"))
    return [draw.array(a, dtype), draw.array(b, dtype)], {}


def _segments(draw: Draw) -> Drawn:
    """Ids of any rank, repeated, some negative; entries that are 0, and the fourth call has ids that do not fit."""
    shape, rest, count = draw.shape(0, 2), draw.shape(0, 1, min_size=1, max_size=2), draw.integer(1, 3)
    dtype = draw.choice((*FLOATS, "int64"))
    data = draw.array((*shape, *rest), "int32", -2, 2).astype(dtype)
    ids = draw.array((7,) if draw.number == 4 else shape, draw.choice(INTEGERS), -1, count - 1)
    return [data, ids, count], {}


FUNCTIONS: list[Function] = [
    Function("dynamic_partition", of_parts, 8, gradients=True, quick=(0, 1, 4, 6)),
    Function("dynamic_stitch", of_stitched, 8, gradients=True, quick=(0, 1, 4, 6)),
    Function("reverse_sequence", of_sequences, 8, gradients=True, quick=(0, 1, 2, 4, 6)),
    Function("unravel_index", of_places, 8),
    Function("histogram_fixed_width", of_values(False, (*FLOATS, "int32")), 8, quick=(0, 4)),
    Function("histogram_fixed_width_bins", of_values(True, FLOATS), 8, quick=(1, 2)),
    Function("space_to_batch", of_blocks, 8, gradients=True, quick=(0, 1, 2, 4)),
    Function("space_to_batch_nd", of_blocks, 6, quick=()),
    Function("batch_to_space", of_batches, 8, gradients=True, quick=(0, 1, 2, 4, 6)),
    Function("required_space_to_batch_paddings", of_shapes, 6),
    Function("nn.with_space_to_batch", of_dilated, 6, gradients=True, quick=(0, 2)),
    Function("strided_slice", of_slices, 24, gradients=True, quick=range(12)),
    Function("identity_n", of_several, 4, gradients=True),
    Function("realdiv", of_quotients, 8),
    Function("approx_top_k", lambda d: ([d.array((2, 4), "float32", special=False), d.integer(1, 5)], {}), 5),
    Function("math.unsorted_segment_sum", _segments, 8, gradients=True, quick=(1, 4)),
    Function("math.unsorted_segment_prod", _segments, 8, gradients=True, quick=(0, 1, 2, 4), differ={5: NOTHING}),
    Function("math.unsorted_segment_mean", _segments, 8, gradients=True, quick=(1,), differ={0: NOTHING}),
    Function("math.unsorted_segment_max", _segments, 8, quick=(1,)),
    Function("math.unsorted_segment_min", _segments, 8, quick=()),
]
