"""Functions of `tf` that move the entries of string tensors, or compare them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function

WORDS = (b"", b"a", b"b", b"ab", b"Hello", "é€".encode(), b"\xff\x00", b"a b")


def words(draw: Draw, shape: Sequence[int]) -> np.ndarray:
    """An array of strings, some of which are equal."""
    found = np.empty(int(np.prod(shape, dtype=int)), dtype=object)
    found[:] = [draw.choice(WORDS) for _ in found]
    return found.reshape(tuple(shape))


def _of_words(name: str, rest: Callable[[Draw, np.ndarray], Any], min_rank: int = 1, max_rank: int = 3) -> Function:
    """A function of strings first, and of what `rest` draws for them."""

    def call(draw: Draw) -> Any:
        array = words(draw, draw.shape(min_rank, max_rank))
        more, options = rest(draw, array)
        return [array, *more], options

    return Function(name, call, count=8)


def _pair(name: str) -> Function:
    def call(draw: Draw) -> Any:
        first, second = draw.broadcastable()
        return [words(draw, first), draw.choice(WORDS) if draw.flag() else words(draw, second)], {}

    return Function(name, call, count=8)


def _several(name: str) -> Function:
    def call(draw: Draw) -> Any:
        shape = draw.shape(1, 3)
        arrays = [words(draw, shape) for _ in range(draw.integer(1, 3))]
        return [arrays, draw.axis(len(shape))], {}

    return Function(name, call, count=8)


def _where(draw: Draw) -> Any:
    first, second = draw.broadcastable()
    return [
        draw.array(second, "bool"),
        words(draw, first),
        draw.choice(WORDS) if draw.flag() else words(draw, second),
    ], {}


def _gather(draw: Draw, array: np.ndarray) -> Any:
    axis = draw.axis(array.ndim)
    return [draw.array(draw.shape(0, 2), "int32", 0, array.shape[axis] - draw.integer(0, 1))], {"axis": axis}


def _gather_nd(draw: Draw, array: np.ndarray) -> Any:
    columns = [draw.array((3,), "int64", 0, max(size - 1, 0)) for size in array.shape[: draw.integer(1, array.ndim)]]
    return [np.stack(columns, axis=-1)], {}


def _pads(draw: Draw, array: np.ndarray) -> Any:
    mode = draw.choice(("CONSTANT", "REFLECT", "SYMMETRIC"))
    options = {"constant_values": "p"} if mode == "CONSTANT" and draw.flag() else {}
    return [draw.array((array.ndim, 2), "int32", 0, 1), mode], options


def _axis(draw: Draw, array: np.ndarray) -> Any:
    return [], {"axis": draw.axis(array.ndim)}


def _slice(draw: Draw, array: np.ndarray) -> Any:
    begin = [draw.integer(0, size) for size in array.shape]
    return [begin, [draw.choice((-1, size - first)) for first, size in zip(begin, array.shape, strict=True)]], {}


FUNCTIONS = [
    _several("stack"),
    _several("concat"),
    Function("where", _where, count=8),
    _pair("equal"),
    _pair("not_equal"),
    _of_words("gather", _gather),
    _of_words("gather_nd", _gather_nd),
    _of_words("boolean_mask", lambda draw, array: ([draw.array(array.shape[:1], "bool")], {})),
    _of_words("pad", _pads),
    _of_words("slice", _slice),
    _of_words("reshape", lambda draw, array: ([[array.size] if draw.flag() else [1, *array.shape]], {})),
    _of_words("expand_dims", _axis),
    _of_words("squeeze", lambda draw, array: ([], {})),
    _of_words("transpose", lambda draw, array: ([], {})),
    _of_words("tile", lambda draw, array: ([[draw.integer(0, 2) for _ in array.shape]], {})),
    _of_words("repeat", lambda draw, array: ([draw.integer(0, 2)], {"axis": draw.choice((None, draw.axis(array.ndim)))})),
    _of_words("reverse", lambda draw, array: ([[draw.axis(array.ndim)]], {})),
    _of_words("roll", lambda draw, array: ([draw.integer(-2, 2), draw.axis(array.ndim)], {})),
    _of_words("unstack", _axis),
    _of_words("split", lambda draw, array: ([draw.integer(1, 2), draw.axis(array.ndim)], {})),
    _of_words("broadcast_to", lambda draw, array: ([[2, *array.shape]], {}), 0, 2),
    _of_words("unique", lambda draw, array: ([], {}), 1, 1),
    _of_words("unique_with_counts", lambda draw, array: ([], {}), 1, 1),
    _of_words("identity", lambda draw, array: ([], {}), 0),
    _of_words("zeros_like", lambda draw, array: ([], {}), 0),
    _of_words("shape", lambda draw, array: ([], {}), 0),
    _of_words("size", lambda draw, array: ([], {}), 0),
    _of_words("rank", lambda draw, array: ([], {}), 0),
    _of_words("dynamic_partition", lambda draw, array: ([draw.array(array.shape[:1], "int32", 0, 1), 2], {})),
]  # fmt: skip
