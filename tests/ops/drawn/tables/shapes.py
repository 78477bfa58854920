"""The functions at the root of `tf` that make tensors, give them other shapes or take blocks of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
MIXED = (*FLOATS, *INTEGERS)


def of_steps(draw: Draw) -> Drawn:
    """Ends of any shape and the axis of the steps; call 4 asks for none, call 7 for one."""
    shape, dtype = draw.shape(0, 2), draw.choice(FLOATS)
    ends = [draw.array(shape, dtype, special=False) for _ in range(2)]
    count = 0 if draw.number == 4 else 1 if draw.number == 7 else draw.integer(1, 5)
    return [*ends, count], {"axis": draw.axis(len(shape) + 1)}


def of_repeats(draw: Draw) -> Drawn:
    """One number or one an entry, along an axis or of the flattened tensor; call 4 has too many numbers."""
    shape = draw.shape(1, 3)
    axis = draw.choice([None, draw.axis(len(shape))])
    size = int(np.prod(shape)) if axis is None else shape[axis]
    repeats = draw.integer(0, 3) if draw.flag() and draw.number != 4 else draw.array((size,), "int32", 0, 3)
    if draw.number == 4:
        repeats = np.ones(size + 2, np.int32)
    return [draw.array(shape, draw.choice(MIXED)), repeats.tolist() if isinstance(repeats, np.ndarray) else repeats], {
        "axis": axis
    }


def of_shifts(draw: Draw) -> Drawn:
    """One shift or several, also along the same axis; call 4 has an axis that does not exist."""
    shape = draw.shape(1, 3)
    array = draw.array(shape, draw.choice((*MIXED, "bool")))
    if draw.number == 4:
        return [array, 1], {"axis": 5}
    if draw.flag():
        return [array, draw.integer(-5, 5)], {"axis": draw.axis(len(shape))}
    count = draw.integer(1, 3)
    return [array, draw.array((count,), draw.choice(INTEGERS), -5, 5)], {
        "axis": [draw.axis(len(shape)) for _ in range(count)]
    }


def of_found(draw: Draw) -> Drawn:
    """Batches of sorted rows, with ties among integers; call 4 has other batches."""
    batch, dtype = draw.shape(0, 2, max_size=2), draw.choice(MIXED)
    rows = np.sort(draw.array((*batch, draw.integer(0, 5)), dtype, special=False), axis=-1)
    values = draw.array((*((7, *batch[1:]) if draw.number == 4 else batch), draw.integer(0, 4)), dtype, -4, 4)
    if draw.number == 4:
        rows = np.zeros((2, 3), dtype)
    return [rows, np.nan_to_num(values)], {
        "side": draw.choice(["left", "right"]),
        "out_type": draw.choice(INTEGERS),
    }


def of_block(draw: Draw) -> Drawn:
    """Blocks within, also whole rests (-1); calls 4 and 7 have one that ends outside."""
    shape = draw.shape(1, 3)
    begin = [draw.integer(0, size) for size in shape]
    size = [draw.choice([-1, draw.integer(0, n - b)]) for n, b in zip(shape, begin, strict=True)]
    if draw.number == 4:
        begin[0], size[0] = 1, shape[0]
    if draw.number == 7:
        begin[0], size[0] = shape[0] + 1, 0
    return [draw.array(shape, draw.choice((*MIXED, "bool"))), begin, size], {}


def of_ones(draw: Draw) -> Drawn:
    """Some dimensions of size 1, all of them or none; call 4 has another size, call 7 an axis that does not exist."""
    shape = [draw.choice([1, 1, 2, 3]) for _ in range(draw.integer(0, 4))]
    ones = [i - len(shape) * draw.flag() for i, size in enumerate(shape) if size == 1]
    axis: Any = draw.choice([None, [], ones, ones[0] if ones else None])
    if draw.number == 4:
        shape, axis = [2, 1], [0]
    return [draw.array(shape, draw.choice(MIXED))], {"axis": 7 if draw.number == 7 else axis}


def of_axis(draw: Draw) -> Drawn:
    """Call 4 has an axis that does not exist."""
    shape = draw.shape(0, 3)
    return [draw.array(shape, draw.choice(MIXED))], {"axis": 9 if draw.number == 4 else draw.axis(len(shape) + 1)}


def of_broadcast(draw: Draw) -> Drawn:
    """Call 4 has a shape that does not fit."""
    own, whole = draw.broadcastable()
    shape = np.broadcast_shapes(own, whole)
    return [draw.array(own, draw.choice(MIXED)), [7, 5, 3, 2] if draw.number == 4 else list(shape)], {}


def of_lengths(draw: Draw) -> Drawn:
    """Lengths that are 0 and too long; call 4 has a negative one."""
    lengths = draw.array(draw.shape(0, 2), draw.choice(INTEGERS), -2 if draw.number == 4 else 0, 4)
    dtype = draw.choice(("bool", *MIXED))
    return [lengths], {"maxlen": draw.choice([None, draw.integer(0, 5)]), "dtype": dtype}


def of_filling(draw: Draw) -> Drawn:
    """Call 4 fills with more than one number, call 7 has a negative size."""
    value = draw.array((2,) if draw.number == 4 else (), draw.choice((*MIXED, "bool", "complex64")))
    return [[-1, 2] if draw.number == 7 else list(draw.shape(0, 3)), value], {}


def of_identity(draw: Draw) -> Drawn:
    """Square and others, in batches; call 4 has a negative size."""
    rows, columns = (draw.integer(0, 3) for _ in range(2))
    return [-1 if draw.number == 4 else rows], {
        "num_columns": draw.choice([None, columns]),
        "batch_shape": draw.choice([None, list(draw.shape(0, 2, max_size=2))]),
        "dtype": draw.choice((*MIXED, "bool", "complex64")),
    }


def of_turned(draw: Draw) -> Drawn:
    """Any axes, none too; call 4 has one that does not exist, call 7 one twice."""
    shape = draw.shape(1, 3)
    axes = [i - len(shape) * draw.flag() for i in range(len(shape)) if draw.flag()]
    axes = [5] if draw.number == 4 else [0, 0] if draw.number == 7 else axes
    return [draw.array(shape, draw.choice((*MIXED, "bool"))), axes], {}


def of_bits(draw: Draw) -> Drawn:
    """Types of one size, larger and smaller ones; call 4 has bytes that are not enough."""
    narrow, wide = draw.choice([("float32", "float64"), ("int32", "int64"), ("uint8", "float32"), ("int16", "uint16")])
    sizes = np.dtype(wide).itemsize // np.dtype(narrow).itemsize
    numbers = draw.array((*draw.shape(0, 2), *((sizes,) if sizes > 1 else ())), "int32", 1, 100).astype(narrow)
    if draw.number == 4:
        return [np.ones((2, 3), np.uint8), "float32"], {}
    if draw.flag():
        return [numbers, wide], {}
    return [draw.array(draw.shape(0, 2), "int32", 1, 100).astype(wide), narrow], {}


def of_long(draw: Draw) -> Drawn:
    """Norms above and below the bound, of all or of some dimensions, of zeros; call 4 has an axis that does not exist."""
    shape, dtype = draw.shape(1, 3, min_size=1), draw.choice(FLOATS)
    array = draw.array(shape, dtype, special=False) * draw.choice([0, 0.1, 1, 10])
    axes = [7] if draw.number == 4 else draw.choice([None, [draw.axis(len(shape))]])
    return [array.astype(dtype), draw.choice([0.5, 2.0, 10])], {"axes": axes}


def of_gradients(draw: Draw) -> Drawn:
    """Lists of tensors, with their norm given or not; call 4 has an infinite entry."""
    dtype = draw.choice(FLOATS)
    arrays = [draw.array(draw.shape(0, 2), dtype, special=False) for _ in range(draw.integer(1, 3))]
    if draw.number == 4:
        arrays[0] = np.full((2,), np.inf, dtype)
    return [arrays, draw.choice([0.5, 2.0, 10.0])], {}


def of_known(draw: Draw) -> Drawn:
    """Call 4 has another rank, call 7 another size."""
    shape = draw.shape(1, 3)
    wanted = [draw.choice([None, size]) for size in shape]
    wanted = [None, *wanted] if draw.number == 4 else [shape[0] + 1, *wanted[1:]] if draw.number == 7 else wanted
    return [draw.array(shape, draw.choice(MIXED)), wanted], {}


def of_two_parts(draw: Draw) -> Drawn:
    """Call 4 has two types."""
    a, b = draw.broadcastable()
    dtype = draw.choice(FLOATS)
    other = {"float32": "float64", "float64": "float32"}[dtype] if draw.number == 4 else dtype
    return [draw.array(a, dtype, special=False), draw.array(b, other, special=False)], {}


def of_saturated(draw: Draw) -> Drawn:
    kinds = ("int8", "uint8", "int16", "int32", "uint16", "float16", "float32", "float64")
    return [draw.array(draw.shape(0, 2), draw.choice(kinds), -200 * draw.flag(), 500, special=False)], {
        "dtype": draw.choice(kinds)
    }


def of_dims(draw: Draw) -> Drawn:
    a, b = draw.broadcastable()
    return [np.array(a, "int32"), np.array((7, 5) if draw.number == 4 else b, "int32")], {}


def of_any(draw: Draw) -> Drawn:
    return [draw.array(draw.shape(0, 3), draw.choice((*MIXED, "bool", "complex64")))], {}


def of_kinds(draw: Draw) -> Drawn:
    return of_any(draw)[0], {"dtype": draw.choice((None, *MIXED, "bool"))}


def of_places(draw: Draw) -> Drawn:
    return [draw.array(draw.shape(0, 3), draw.choice((*INTEGERS, "bool")), -1, 1)], {}


UNDONE = "has an answer, for which TensorFlow has no code"
ONE_STEP = "a tape sees no end where one step is the start"
NOTHING = "a tape sees nothing of a tensor without entries"
NEAR = {"float32": 1e-5, "float64": 1e-12}
FEW: dict[str, Any] = {"count": 10, "quick": ()}
FUNCTIONS: list[Function] = [
    Function(
        "linspace",
        of_steps,
        within=NEAR,
        gradients=True,
        differ={4: NOTHING, **dict.fromkeys((6, 7, 9), ONE_STEP)},
        **FEW,
    ),
    Function("repeat", of_repeats, gradients=True, differ={9: NOTHING}, **FEW),
    Function("roll", of_shifts, gradients=True, **FEW),
    Function("searchsorted", of_found, differ={5: UNDONE}, **FEW),
    Function("slice", of_block, gradients=True, **{**FEW, "quick": (4,)}),
    Function("squeeze", of_ones, gradients=True, **FEW),
    Function("expand_dims", of_axis, gradients=True, **FEW),
    Function("broadcast_to", of_broadcast, gradients=True, **FEW),
    Function("sequence_mask", of_lengths, **FEW),
    Function("fill", of_filling, gradients=True, **FEW),
    Function("eye", of_identity, **FEW),
    Function("reverse", of_turned, gradients=True, **FEW),
    Function("bitcast", of_bits, **FEW),
    Function("clip_by_norm", of_long, within=NEAR, gradients=True, **FEW),
    Function("clip_by_global_norm", of_gradients, within=NEAR, gradients=True, **FEW),
    Function("ensure_shape", of_known, gradients=True, **FEW),
    Function("complex", of_two_parts, **FEW),
    Function("saturate_cast", of_saturated, **FEW),
    Function("broadcast_dynamic_shape", of_dims, **FEW),
    *(Function(name, of_kinds, **FEW) for name in ("zeros_like", "ones_like")),
    *(Function(name, of_any, **{**FEW, "count": 4}) for name in ("shape", "size", "rank", "identity")),
    Function("where", of_places, differ=dict.fromkeys((1, 4, 8), UNDONE), **FEW),
]
