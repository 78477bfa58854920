"""The functions at the root of `tf` that programs use most: shapes, indices, order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
MIXED = (*FLOATS, *INTEGERS)


def of_concatenated(draw: Draw) -> Drawn:
    """Sizes differ along the axis; call 4 has tensors of another rank, call 7 numbers beside a tensor."""
    shape, dtype = draw.shape(1, 3), draw.choice(MIXED)
    axis = draw.axis(len(shape))
    shapes = [[*shape[: axis % len(shape)], draw.integer(0, 3), *shape[axis % len(shape) + 1 :]] for _ in range(2)]
    arrays: list[Any] = [draw.array(s, dtype) for s in shapes]
    if draw.number == 7:
        return [[draw.array((2,), "float64"), [1, 2]], 0], {}
    return [[*arrays, draw.array((2, 2, 2, 2), dtype)] if draw.number == 4 else arrays, axis], {}


def of_stacked(draw: Draw) -> Drawn:
    """Call 4 has two shapes."""
    shape, dtype = draw.shape(0, 2), draw.choice(MIXED)
    arrays = [draw.array(shape, dtype) for _ in range(draw.integer(1, 3))]
    return [[*arrays, draw.array((5, 5), dtype)] if draw.number == 4 else arrays], {"axis": draw.axis(len(shape) + 1)}


def of_gathered(draw: Draw) -> Drawn:
    """All axes and batch dimensions; call 4 has an index that is out of range."""
    shape = draw.shape(1, 3, min_size=1)
    batch = draw.integer(0, len(shape) - 1)
    axis = draw.integer(batch, len(shape) - 1)
    where = (*shape[:batch], *draw.shape(0, 2, max_size=2))
    high = shape[axis] + 2 if draw.number == 4 else shape[axis] - 1
    index = draw.array(where, draw.choice(INTEGERS), 0, high)
    if draw.number == 4:
        index = np.full_like(index, high)
    return [draw.array(shape, draw.choice(MIXED)), index], {"axis": axis, "batch_dims": batch}


def _positions(draw: Draw, shape: Sequence[int], depth: int, lead: Sequence[int]) -> np.ndarray:
    columns = [draw.array(lead, "int32", 0, shape[i] - 1) for i in range(depth)]
    return np.stack(columns, -1).astype(draw.choice(INTEGERS))


def of_positions(draw: Draw) -> Drawn:
    shape = draw.shape(1, 3, min_size=1)
    index = _positions(draw, shape, draw.integer(1, len(shape)), draw.shape(0, 2, max_size=2))
    if draw.number == 4:
        index = index + 9
    return [draw.array(shape, draw.choice(MIXED)), index], {}


def of_scattered(draw: Draw) -> Drawn:
    """Positions that come several times."""
    shape, dtype = draw.shape(1, 3, min_size=1, max_size=3), draw.choice(MIXED)
    depth = draw.integer(1, len(shape))
    index = _positions(draw, shape, depth, draw.shape(1, 1, max_size=3))
    return [index, draw.array((*index.shape[:-1], *shape[depth:]), dtype, special=False), list(shape)], {}


def of_updates(several: bool) -> Callable[[Draw], Drawn]:
    def call(draw: Draw) -> Drawn:
        (index, values, shape), _ = of_scattered(draw)
        index = index if several else index[:1]
        values = values if several else values[:1]
        return [draw.array(shape, values.dtype.name, special=False), index, values], {}

    return call


def of_chosen(draw: Draw) -> Drawn:
    mask, a, b = draw.broadcastable(3)
    dtype = draw.choice((*MIXED, "bool"))
    return [draw.array(mask, "bool"), draw.array(a, dtype), draw.array(b, dtype)], {}


def of_classes(draw: Draw) -> Drawn:
    """Classes from -1 to beyond the depth."""
    shape, depth = draw.shape(0, 2), draw.integer(0, 4)
    values = {"on_value": 5.0, "off_value": -1.0} if draw.flag() else {"dtype": draw.choice((*MIXED, "bool"))}
    return [draw.array(shape, draw.choice(INTEGERS), -1, 5), depth], {**values, "axis": draw.integer(-1, len(shape))}


def of_padded(draw: Draw) -> Drawn:
    mode = draw.choice(["CONSTANT", "REFLECT", "SYMMETRIC", "constant"])
    shape = draw.shape(0, 3, min_size=2)
    widths = [[draw.integer(0, 1), draw.integer(0, 1)] for _ in shape]
    if draw.number == 4:
        widths, mode = [[5, 5]] * len(shape), "REFLECT"
    more = {"constant_values": 2} if mode == "CONSTANT" and draw.flag() else {}
    return [draw.array(shape, draw.choice(MIXED)), np.array(widths, "int32").reshape(-1, 2), mode], more


def of_tiled(draw: Draw) -> Drawn:
    """Call 4 has too few multiples."""
    shape = draw.shape(1, 3)
    multiples = [draw.integer(0, 3) for _ in shape]
    return [draw.array(shape, draw.choice(MIXED)), multiples[1:] if draw.number == 4 else multiples], {}


def of_ranges(draw: Draw) -> Drawn:
    """Call 4 has a step of 0, call 7 one that leads away."""
    if draw.flag():
        return [draw.real(-2, 2), draw.real(2, 4), draw.choice([0.25, 0.3, 1])], {}
    low, high = draw.integer(-3, 2), draw.integer(2, 6)
    step = 0 if draw.number == 4 else -1 if draw.number == 7 else draw.integer(1, 3)
    return [low, high, step], {"dtype": draw.choice(MIXED)}


def of_reshaped(draw: Draw) -> Drawn:
    """One size may be -1; call 4 has too few numbers."""
    shape = draw.shape(0, 3)
    new = [*shape[::-1], 1]
    if draw.flag():
        new[draw.integer(0, len(new) - 1)] = -1
    return [draw.array(shape, draw.choice(MIXED)), [7, 3] if draw.number == 4 else new], {}


def of_transposed(draw: Draw) -> Drawn:
    shape = draw.shape(0, 4, max_size=3)
    order = np.argsort(draw.array((len(shape),), "float32", special=False)).tolist()
    dtype = draw.choice((*MIXED, "complex64"))
    return [draw.array(shape, dtype)], {"perm": draw.choice([None, order]), "conjugate": draw.flag()}


def of_cast(draw: Draw) -> Drawn:
    kinds = (*MIXED, "bool", "complex64", "uint8", "int8", "float16")
    return [draw.array(draw.shape(0, 2), draw.choice(kinds), 0, 3, special=False)], {"dtype": draw.choice(kinds)}


def of_clipped(draw: Draw) -> Drawn:
    """Bounds are numbers or tensors that broadcast."""
    a, b = draw.broadcastable()
    dtype = draw.choice(MIXED)
    low = draw.array((), dtype, -2, 0, special=False)
    return [draw.array(a, dtype), low, draw.array(b if len(b) <= len(a) else (), dtype, 0, 2, special=False)], {}


def of_masked(draw: Draw) -> Drawn:
    """Masks of some dimensions; call 4 has one that does not fit."""
    shape = draw.shape(1, 3)
    axis = draw.integer(0, len(shape) - 1)
    stop = draw.integer(axis + 1, len(shape))
    mask = draw.array((9,) if draw.number == 4 else shape[axis:stop], "bool")
    return [draw.array(shape, draw.choice(MIXED)), mask], {"axis": axis}


def of_unstacked(draw: Draw) -> Drawn:
    shape = draw.shape(1, 3)
    axis = draw.axis(len(shape))
    num = draw.choice([None, 9 if draw.number == 4 else shape[axis]])
    return [draw.array(shape, draw.choice(MIXED))], {"num": num, "axis": axis}


def of_split(draw: Draw) -> Drawn:
    """Equal parts or sizes; call 4 has sizes that are not all."""
    shape = [*draw.shape(1, 3)]
    axis, count = draw.axis(len(shape)), draw.integer(1, 3)
    shape[axis] = count * draw.integer(1, 2)
    if draw.flag():
        return [draw.array(shape, draw.choice(MIXED)), count + 9 * (draw.number == 4)], {"axis": axis}
    first = draw.integer(0, shape[axis])
    sizes = [first, 1 + shape[axis] if draw.number == 4 else draw.choice([shape[axis] - first, -1])]
    return [draw.array(shape, draw.choice(MIXED)), sizes], {"axis": axis}


def of_sorted(special: bool) -> Callable[[Draw], Drawn]:
    def call(draw: Draw) -> Drawn:
        shape = draw.shape(1, 3)
        array = draw.array(shape, draw.choice(MIXED), special=special)
        return [array], {"axis": draw.axis(len(shape)), "direction": draw.choice(["ASCENDING", "DESCENDING"])}

    return call


def of_repeated(draw: Draw) -> Drawn:
    return [draw.array((draw.integer(0, 6),), draw.choice(INTEGERS), 0, 3)], {}


def of_axes(draw: Draw) -> Drawn:
    dtype = draw.choice(MIXED)
    return [draw.array((draw.integer(1, 3),), dtype) for _ in range(draw.integer(1, 3))], {
        "indexing": draw.choice(["xy", "ij"])
    }


EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 2)), "bij,bjk->bik": ((2, 2, 3), (2, 3, 1)), "i,i->": ((3,), (3,)), "ij->ji": ((2, 3),),
    "ii->i": ((3, 3),), "ij->": ((2, 3),), "...ij,...jk->...ik": ((2, 2, 3), (3, 2)), "ij,jk": ((2, 3), (3, 2)),
    "i,j->ij": ((2,), (3,)), "ij,ij,jk->k": ((2, 3), (2, 3), (3, 2)),
}  # fmt: skip


def of_equations(draw: Draw) -> Drawn:
    equation, dtype = list(EQUATIONS)[draw.number % len(EQUATIONS)], draw.choice((*FLOATS, "int32", "complex64"))
    return [equation, *(draw.array(s, dtype, special=False) for s in EQUATIONS[equation])], {}


def of_contracted(draw: Draw) -> Drawn:
    """Numbers and lists of axes; call 4 has sizes that do not fit."""
    dtype, count = draw.choice((*FLOATS, "int32")), draw.integer(0, 2)
    shared, rest = draw.shape(count, count, min_size=1), draw.shape(0, 1, min_size=1)
    a = draw.array((*draw.shape(0, 1, min_size=1), *shared), dtype, special=False)
    if draw.number == 4:
        return [a, draw.array((7, *rest), dtype), 1], {}
    if draw.flag() or not count:
        return [a, draw.array((*shared, *rest), dtype, special=False), count], {}
    b = draw.array((*rest, *shared), dtype, special=False)
    return [a, b, [list(range(-count, 0))] * 2], {}


CUT = {"float32": 1e-5, "float64": 1e-12}
NOTHING = "a tape sees nothing of a tensor without entries"
FEW: dict[str, Any] = {"count": 10, "quick": (0,)}
FUNCTIONS: list[Function] = [
    Function("concat", of_concatenated, gradients=True, **FEW),
    Function("stack", of_stacked, gradients=True, **FEW),
    Function("unstack", of_unstacked, gradients=True, **FEW),
    Function("split", of_split, gradients=True, **FEW),
    Function("gather", of_gathered, gradients=True, differ={1: NOTHING}, **FEW),
    Function("gather_nd", of_positions, gradients=True, **FEW),
    Function("scatter_nd", of_scattered, gradients=True, differ=dict.fromkeys((5, 8), NOTHING), **FEW),
    Function("tensor_scatter_nd_add", of_updates(True), gradients=True, differ={9: NOTHING}, **FEW),
    Function("tensor_scatter_nd_sub", of_updates(True), gradients=True, **FEW),
    Function("tensor_scatter_nd_max", of_updates(True), **FEW),
    Function("tensor_scatter_nd_min", of_updates(True), **FEW),
    Function("tensor_scatter_nd_update", of_updates(False), gradients=True, differ={7: NOTHING}, **FEW),
    Function("where", of_chosen, gradients=True, **FEW),
    Function("one_hot", of_classes, **FEW),
    Function("pad", of_padded, gradients=True, **FEW),
    Function("tile", of_tiled, gradients=True, **FEW),
    Function("range", of_ranges, **FEW),
    Function("reshape", of_reshaped, gradients=True, **FEW),
    Function("transpose", of_transposed, gradients=True, **FEW),
    Function("cast", of_cast, **FEW),
    Function("clip_by_value", of_clipped, gradients=True, **FEW),
    Function("boolean_mask", of_masked, gradients=True, differ={8: NOTHING}, **FEW),
    Function("sort", of_sorted(False), gradients=True, **FEW),
    Function("argsort", of_sorted(False), **FEW),
    Function("unique", of_repeated, **FEW),
    Function("unique_with_counts", of_repeated, **FEW),
    Function("meshgrid", of_axes, gradients=True, **FEW),
    Function("einsum", of_equations, within=CUT, gradients=True, **FEW),
    Function("tensordot", of_contracted, within=CUT, gradients=True, **FEW),
]
