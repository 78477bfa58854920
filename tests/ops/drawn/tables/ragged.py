"""Ragged tensors: their makers and parts, `tf.ragged`, and functions of tensors that take them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Built, Draw, Function
from tests.ops.drawn.tables.string_arrays import words

DTYPES = ("float32", "float32", "float64", "int32", "int64")
_ROWS = "RaggedTensor.from_nested_row_splits"


def splits(draw: Draw, levels: int, rows: int | None = None) -> list[list[int]]:
    """Row splits for this many ragged dimensions, and of as many rows; sometimes of none."""
    found, count = [], draw.choice((0, 1, 2, 3, 3)) if rows is None else rows
    for _ in range(levels):
        lengths = [draw.choice((0, 1, 2, 3)) for _ in range(count)]
        found.append(np.cumsum([0, *lengths]).tolist())
        count = found[-1][-1]
    return found


def values(draw: Draw, count: int, dtype: str, inner: Sequence[int] = ()) -> np.ndarray:
    """The values of a ragged tensor."""
    shape = (count, *inner)
    return words(draw, shape) if dtype == "object" else draw.array(shape, dtype, special=False)


def of_splits(draw: Draw, found: list[list[int]], dtype: str, inner: Sequence[int] = ()) -> Built:
    """A ragged tensor with these row splits."""
    return Built(_ROWS, [values(draw, found[-1][-1], dtype, inner), [np.array(s, np.int64) for s in found]])


def rows(draw: Draw, dtypes: Sequence[str] = DTYPES, most: int = 2, inner: Sequence[int] | None = None) -> Built:
    """A ragged tensor of one to `most` ragged dimensions; `inner` dimensions after those are drawn unless they are given."""
    inner = draw.choice(((), (), (2,))) if inner is None else inner
    return of_splits(draw, splits(draw, draw.integer(1, most)), draw.choice(dtypes), inner)


def rank(ragged: Built) -> int:
    """The number of dimensions of a drawn ragged tensor."""
    return int(ragged.args[0].ndim) + len(ragged.args[1])


def of_rows(
    name: str, rest: Callable[[Draw, Built], Any] = lambda draw, ragged: ([], {}), most: int = 2, **options: Any
) -> Function:
    """A function of a ragged tensor first, and of what `rest` draws for it."""
    dtypes, inner = options.pop("dtypes", DTYPES), options.pop("inner", None)

    def call(draw: Draw) -> Any:
        ragged = rows(draw, dtypes, most, inner)
        more, keywords = rest(draw, ragged)
        return [ragged, *more], keywords

    return Function(name, call, **{"count": 8, **options})


def part(name: str, most: int = 2) -> Function:
    """A property, or a method without arguments, of ragged tensors."""

    def called(tf: Any, ragged: Any) -> Any:
        found = getattr(ragged, name)
        found = found() if callable(found) else found
        if name == "shape":
            return found.as_list()
        return list(found) if isinstance(found, tuple) else tf.constant(found) if isinstance(found, int) else found

    return of_rows(f"RaggedTensor.{name}", most=most, called=called, count=4)


def _from(name: str, parts: Callable[[Draw, list[int]], Any], wrong: Callable[[Any], Any]) -> Function:
    """A maker: of the parts that it takes for row splits; the last call has wrong ones."""

    def call(draw: Draw) -> Any:
        found = splits(draw, 1)[0]
        given = parts(draw, found)
        args = [values(draw, found[-1], draw.choice((*DTYPES, "object")), draw.choice(((), (2,)))), given]
        return [args[0], wrong(given) if draw.number == 4 else given], {}

    return Function(f"RaggedTensor.{name}", call, count=6)


def _kind(draw: Draw, numbers: Any) -> np.ndarray:
    return np.asarray(numbers).astype(draw.choice(("int32", "int64")))


def _nested(name: str, parts: Callable[[list[int]], Any]) -> Function:
    def call(draw: Draw) -> Any:
        found = splits(draw, draw.integer(1, 3), 3)
        given = [np.array(parts(s), np.int64) for s in found]
        return [values(draw, found[-1][-1], "float32"), given], {}

    return Function(f"RaggedTensor.{name}", call, count=4)


def _rowids(found: list[int]) -> list[int]:
    return np.repeat(np.arange(len(found) - 1), np.diff(found)).tolist()


def _uniform(draw: Draw) -> Any:
    length, count = draw.integer(0, 3), draw.integer(0, 3)
    array = values(draw, length * count + (draw.number == 3), "int32")
    return [array, length, count], {}


def _from_tensor(draw: Draw) -> Any:
    array = draw.array(draw.shape(2, 4), "int32", 0, 2)
    how = draw.choice(("lengths", "padding", "ragged_rank", "nothing"))
    if how == "lengths":
        return [array, draw.array(array.shape[:1], "int64", 0, 4)], {}
    if how == "padding":
        return [array], {"padding": 0 if array.ndim == 2 else np.zeros(array.shape[2:], np.int32).tolist()}
    return [array], {"ragged_rank": draw.integer(1, array.ndim - 1)} if how == "ragged_rank" else {}


def _to_tensor(draw: Draw, ragged: Built) -> Any:
    options: dict[str, Any] = {}
    if draw.flag():
        options["default_value"] = draw.integer(-2, 2)
    if draw.flag():
        inner = list(ragged.args[0].shape[1:])
        options["shape"] = [draw.choice((None, None, 1, 4)) for _ in range(rank(ragged) - len(inner))] + inner
    return [], options


_SLICES = (slice(None), slice(1, None), slice(None, 2), slice(None, -1), slice(None, None, 2), slice(None, None, -1))
_KEYS: tuple[Any, ...] = (
    0, -1, slice(1, None), slice(None, None, -1), None, ..., (0, 0), (0, slice(None, 1)), (slice(None), slice(None, 1)),
    (slice(None), slice(1, None)), (slice(None), slice(None, -1)), (slice(None), slice(None, None, 2)), (slice(None), 0),
    (..., slice(None, 1)), (slice(None), None), (None, 0), (slice(1, None), slice(None, None, -1)), (0, 0, 0), (..., None),
    (slice(None, 2), slice(1, 3), slice(None, 1)), 7,
)  # fmt: skip


def _brackets(draw: Draw) -> Any:
    found = splits(draw, draw.integer(1, 2), 3)
    return [of_splits(draw, found, draw.choice(DTYPES), draw.choice(((), (2,)))), _KEYS[draw.number]], {}


def _pair(draw: Draw) -> Any:
    """Two operands: of the same rows, a number, a column for each row, or other rows."""
    found, dtype = splits(draw, draw.integer(1, 2)), draw.choice(("float32", "int32"))
    ragged = of_splits(draw, found, dtype)
    how = draw.choice(("same", "number", "column", "inner", "other"))
    other: Any = draw.integer(1, 3)
    if how == "same":
        other = of_splits(draw, found, dtype)
    elif how == "column":
        other = draw.array((len(found[0]) - 1, *[1] * len(found)), dtype, special=False)
    elif how == "inner":
        other = draw.array((), dtype, special=False)
    elif how == "other":
        other = rows(draw, (dtype,), 1, ())
    return [ragged, other], {}


def _two(name: str, **options: Any) -> Function:
    return Function(name, _pair, **{"count": 8, **options})


def _several(draw: Draw, extra: int = 0) -> Any:
    levels, inner, dtype = draw.integer(1, 2), draw.choice(((), (2,))), draw.choice(DTYPES)
    size = draw.integer(1, 3)
    found = [of_splits(draw, splits(draw, levels, size), dtype, inner) for _ in range(draw.integer(1, 3))]
    return [found, draw.integer(-1, 1 + extra)], {}


def _stacked(draw: Draw) -> Any:
    if draw.flag():
        return _several(draw, 1)
    return [[draw.array((draw.integer(0, 3),), "int32") for _ in range(draw.integer(1, 3))], 0], {}


def _gather(draw: Draw) -> Any:
    found = splits(draw, draw.integer(1, 2), 3)
    ragged = of_splits(draw, found, draw.choice(DTYPES), draw.choice(((), (2,))))
    if draw.flag():
        return [ragged, draw.array(draw.shape(0, 2, min_size=1), "int32", 0, 3 if draw.number == 7 else 2)], {}
    lengths = splits(draw, 1)
    return [ragged, Built(_ROWS, [draw.array((lengths[0][-1],), "int64", 0, 2), lengths])], {}


def _gather_in_rows(draw: Draw) -> Any:
    found = [[0, 2, 3, 6]]
    ragged = of_splits(draw, found, draw.choice(DTYPES))
    return [ragged, draw.array((3, 2), "int32", 0, draw.number % 2)], {"batch_dims": 1}


def _gather_nd(draw: Draw) -> Any:
    ragged = of_splits(draw, [[0, 2, 3, 6]], draw.choice(DTYPES), (2,))
    return [ragged, draw.array((draw.integer(0, 3), draw.integer(1, 3)), "int32", 0, draw.number % 3 % 2)], {}


def _where(draw: Draw) -> Any:
    found = splits(draw, draw.integer(1, 2))
    condition = of_splits(draw, found, "bool")
    if draw.number % 2:
        return [condition], {}
    return [condition, of_splits(draw, found, "float32"), draw.choice((1.0, of_splits(draw, found, "float32")))], {}


def _masked(draw: Draw) -> Any:
    found = splits(draw, draw.integer(1, 2))
    ragged = of_splits(draw, found, draw.choice(DTYPES))
    if draw.flag():
        return [ragged, draw.array((len(found[0]) - 1,), "bool")], {}
    return [ragged, of_splits(draw, found[: draw.integer(1, len(found))], "bool")], {}


def _reduction(name: str, dtypes: Sequence[str] = DTYPES, **options: Any) -> Function:
    def rest(draw: Draw, ragged: Built) -> Any:
        axis = draw.choice((None, 0, 1, 1, -1, rank(ragged) - 1, [0, 1]))
        return [axis], {"keepdims": True} if draw.number % 4 == 3 else {}

    return of_rows(name, rest, dtypes=dtypes, **{"count": 12, **options})


def _merged(draw: Draw, ragged: Built) -> Any:
    first = draw.integer(0, rank(ragged) - 1)
    return [first, draw.integer(first, rank(ragged) - 1)], {}


_LISTS: tuple[Any, ...] = (
    [[1, 2], [], [3]], [[1.5], [2]], [["a", "bc"], []], [[[1], []], [[2, 3]]], [], [[]], [[], [[]]], 5, [1, 2],
    [[1], 2], [[[1, 2], [3, 4]], [[5, 6]]], [[True], [False, True]],
)  # fmt: skip


def _constant(draw: Draw) -> Any:
    options: dict[str, Any] = {}
    if draw.number >= len(_LISTS):
        options = draw.choice(({"ragged_rank": 1}, {"inner_shape": (2,)}, {"dtype": "float64"}))
        return [_LISTS[draw.choice((0, 3, 10))]], options
    return [_LISTS[draw.number]], options


def _range(draw: Draw) -> Any:
    size = draw.integer(1, 3)
    starts = draw.array((size,), "int32", -2, 2)
    if draw.number % 3 == 0:
        return [starts], {}
    return [starts, draw.array((size,), "int32", -2, 4), draw.choice((1, 2, -1))], {}


def _partitions(draw: Draw) -> Any:
    shape = draw.shape(1, 2)
    data = draw.array((*shape, 2) if draw.flag() else shape, "float32", special=False)
    return [data, draw.array(shape, "int32", 0, 2), 3], {}


def _segments(draw: Draw) -> Any:
    return [_kind(draw, np.sort(draw.array((draw.integer(0, 5),), "int32", 0, 3)))], {}


def _ids(tf: Any, ragged: Any) -> Any:
    return tf.ragged.row_splits_to_segment_ids(ragged.row_splits)


def _squeezed(tf: Any, ragged: Any, axis: int) -> Any:
    return tf.squeeze(tf.expand_dims(ragged, axis), axis)


_KEPT = "with keepdims as many dimensions as before; TF adds one for each inner dimension"

FUNCTIONS = [
    _from("from_row_splits", lambda draw, s: _kind(draw, s), lambda s: s[::-1] + 1),
    _from("from_row_lengths", lambda draw, s: _kind(draw, np.diff(s)), lambda s: s + 1),
    _from("from_row_starts", lambda draw, s: _kind(draw, s[:-1]), lambda s: s + 1),
    _from("from_row_limits", lambda draw, s: _kind(draw, s[1:]), lambda s: s - 1),
    _from("from_value_rowids", lambda draw, s: _kind(draw, _rowids(s)), lambda s: s - 1),
    _nested("from_nested_row_splits", lambda s: s),
    _nested("from_nested_row_lengths", lambda s: np.diff(s).tolist()),
    _nested("from_nested_value_rowids", _rowids),
    Function("RaggedTensor.from_uniform_row_length", _uniform, count=6),
    Function("RaggedTensor.from_tensor", _from_tensor),
    of_rows("RaggedTensor.to_tensor", _to_tensor, count=12, gradients=True),
    of_rows("RaggedTensor.to_sparse", inner=(), count=6, dtypes=("float32", "int32", "object")),
    part("values"), part("flat_values"), part("row_splits"), part("row_starts"), part("row_limits"), part("value_rowids"),
    part("nrows"), part("bounding_shape"), part("ragged_rank"), part("uniform_row_length"), part("nested_row_splits"),
    part("nested_row_lengths", 3), part("nested_value_rowids"), part("to_list"), part("shape"),
    of_rows("RaggedTensor.row_lengths", lambda draw, ragged: ([draw.integer(0, rank(ragged))], {})),
    of_rows("RaggedTensor.merge_dims", _merged, 3),
    Function("RaggedTensor.__getitem__", _brackets, count=len(_KEYS), gradients=True,
             differ={15: "x[None, 0] is the first row in a new dimension (TF: AttributeError)"}),
    Function("ragged.constant", _constant, count=15),
    Function("ragged.range", _range, count=6),
    Function("ragged.stack", _stacked),
    Function("ragged.boolean_mask", _masked, count=8),
    Function("ragged.stack_dynamic_partitions", _partitions, count=6),
    Function("ragged.segment_ids_to_row_splits", _segments, count=4),
    of_rows("ragged.row_splits_to_segment_ids", count=4, called=_ids),
    of_rows("ragged.map_flat_values", count=2, called=lambda tf, x: tf.ragged.map_flat_values(tf.add, x, 1)),
    _two("add", gradients=True), _two("multiply", gradients=True), _two("maximum"), _two("equal"), _two("less"),
    of_rows("abs", count=4), of_rows("exp", count=4, dtypes=("float32", "float64"), gradients=True),
    of_rows("cast", lambda draw, ragged: (["float64"], {}), count=4), of_rows("zeros_like", count=3),
    of_rows("one_hot", lambda draw, ragged: ([3], {}), count=4, dtypes=("int32",)),
    Function("concat", _several, count=12, gradients=True),
    Function("stack", lambda draw: ([_several(draw)[0][0], draw.integer(0, 1)], {}), count=6),
    Function("gather", _gather, count=8, gradients=True),
    Function("gather.batch_dims", _gather_in_rows, count=4, called=lambda tf, *args, **options: tf.gather(*args, **options),
             differ={1: "a number past the end of its row is an error (TF: a value of the next row)"}),
    Function("gather_nd", _gather_nd, count=8),
    Function("where", _where, count=8),
    of_rows("expand_dims", lambda draw, ragged: ([draw.integer(-1, rank(ragged))], {})),
    of_rows("squeeze", lambda draw, ragged: ([draw.integer(0, 1)], {}), called=_squeezed),
    of_rows("tile", lambda draw, ragged: ([[draw.integer(0, 2) for _ in range(rank(ragged))]], {})),
    of_rows("reverse", lambda draw, ragged: ([[draw.integer(0, rank(ragged) - 1)]], {})),
    of_rows("size", count=3), of_rows("rank", count=3),
    _reduction("reduce_sum", gradients=True),
    _reduction("reduce_max", differ={3: _KEPT}), _reduction("reduce_min"), _reduction("reduce_prod"),
    _reduction("reduce_mean", ("float32", "float64"), gradients=True), _reduction("reduce_any", ("bool",)),
    _reduction("reduce_all", ("bool",)), _reduction("math.reduce_variance", ("float32",), count=6, differ={3: _KEPT}),
    _reduction("math.reduce_std", ("float32",), count=6),
]  # fmt: skip
