"""Functions along the rows of ragged tensors, counts of ragged and sparse numbers, and crossed features."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import Built, Draw, Function
from tests.ops.drawn.tables.ragged import of_rows, of_splits, rank, splits
from tests.ops.drawn.tables.sparse import sparse
from tests.ops.drawn.tables.string_arrays import words

_FLOATS = ("float32", "float64")


def _axis(draw: Draw, ragged: Built) -> Any:
    return [draw.choice((None, -1, rank(ragged) - 1))], {}


def _squares(tf: Any, result: Any, *tensors: Any) -> Any:
    return tf.square(result.flat_values)  # the gradient of the sum of a softmax is 0 but for rounding


def _sum(draw: Draw, ragged: Built) -> Any:
    return [draw.integer(0, rank(ragged) - 1)], {"exclusive": draw.flag(), "reverse": draw.flag()}


def _split(draw: Draw) -> Any:
    ragged = of_splits(draw, [[0, 2, 3, 3, 6], [0, 1, 2, 4, 4, 5, 6]][: draw.integer(1, 2)], "float32", (2,))
    axis = draw.choice((0, -1, 1)) if draw.number == 5 else draw.choice((0, -1))
    sizes = {0: (1, 2, 4, [1, 3], [2, 2]), -1: (1, 2, [2, 0])}.get(axis, (2,))
    return [ragged, draw.choice(sizes)], {"axis": axis}


def _batches(draw: Draw) -> Any:
    """Batches of matrices, of which one or both differ in their numbers of rows."""
    dtype, k, columns = draw.choice(_FLOATS), draw.integer(1, 3), draw.integer(1, 3)
    a = of_splits(draw, splits(draw, 1, 3), dtype, (k,))
    how = draw.number % 4
    if how == 0:
        return [a, draw.array((3, k, columns), dtype, special=False)], {}
    if how == 1:
        return [a, draw.array((3, columns, k), dtype, special=False)], {"transpose_b": True}
    if how == 2:
        return [a, of_splits(draw, splits(draw, 1, 3), dtype, (k,))], {"transpose_b": True}
    return [of_splits(draw, a.args[1], dtype, (columns,)), a], {"transpose_a": True}


def _matrices(draw: Draw) -> Any:
    lengths = [[0, 2, 4], [0, 2, 3]][draw.number % 2]
    return [of_splits(draw, [lengths], "float32"), draw.array((2, 3), "float32", special=False)], {}


def _counted(draw: Draw, options: dict[str, Any]) -> Any:
    """What is counted, as a dense, ragged or sparse tensor, and its weights."""
    weighted, how = draw.number % 3 == 2, draw.choice(("dense", "ragged", "sparse"))
    kind = draw.choice(("int32", "int64"))
    if how == "dense":
        shape = draw.shape(1, 2, min_size=1)
        found: list[Any] = [draw.array(shape, kind, 0, 4)]
        found += [draw.array(shape, "float32", 0.5, 2.0, special=False)] if weighted else []
    elif how == "ragged":
        rows = splits(draw, 1, 3)
        found = [Built("RaggedTensor.from_row_splits", [draw.array((rows[0][-1],), kind, 0, 4), np.array(rows[0])])]
        found += [of_splits(draw, rows, "float32")] if weighted else []
    else:
        given = sparse(draw, (3, 3), kind, low=0)
        found = [given]
        if weighted:
            weights = draw.array((len(given.args[1]),), "float32", 0.5, 2.0, special=False)
            found.append(Built("SparseTensor", [given.args[0], weights, [3, 3]]))
    options = {"axis": draw.choice((0, -1)), **options}
    if draw.number % 4 == 1:
        options["minlength"] = 7
    if draw.number % 4 == 3:
        options["maxlength"] = 2
    if not weighted and draw.flag():
        options["binary_output"] = True
    return found, options


def _lists(draw: Draw, *, ragged: bool) -> list[Any]:
    """Features to cross, of three rows: integers and strings."""
    found: list[Any] = []
    for _ in range(draw.integer(1, 3)):
        how = draw.choice(("dense", "sparse", "ragged" if ragged else "sparse"))
        kind = draw.choice(("object", "int64", "int32"))
        if how == "dense":
            shape = (3, draw.integer(1, 2))
            found.append(words(draw, shape) if kind == "object" else draw.array(shape, kind, -3, 99))
        elif how == "ragged":
            found.append(of_splits(draw, splits(draw, 1, 3), kind))
        else:
            found.append(sparse(draw, (3, 2), kind))
    return found


def _crossed(name: str, *, hashed: bool, **options: Any) -> Function:
    def call(draw: Draw) -> Any:
        how = draw.choice(({"num_buckets": 10}, {"num_buckets": 1000, "hash_key": 2}, {})) if hashed else {}
        return [_lists(draw, ragged=name.startswith("ragged"))], how

    return Function(name, call, **{"count": 8, **options})


def _separated(draw: Draw) -> Any:
    return [_lists(draw, ragged=False)], {"separator": "-"}


def _masked(tf: Any, values: Any, indices: Any, mask: Any) -> Any:
    found = tf.sparse.mask(tf.IndexedSlices(values, indices), mask)
    return [found.values, found.indices]


def _slices(draw: Draw) -> Any:
    count = draw.integer(0, 4)
    places = np.sort(draw.array((count,), "int32", 0, 9))
    return [draw.array((count, 2), "float32", special=False), places, draw.array((2,), "int32", 0, 9)], {}


FUNCTIONS = [
    of_rows("nn.softmax", _axis, dtypes=_FLOATS, inner=(), gradients=True, compared=_squares),
    of_rows("cumsum", _sum, gradients=True, dtypes=(*_FLOATS, "int32")),
    Function("split", _split),
    Function("matmul", _batches, count=8, gradients=True),
    Function("matmul.uniform", _matrices, count=2, called=lambda tf, *args: tf.matmul(*args)),
    of_rows("nn.dropout", lambda draw, ragged: ([0.0], {}), count=2, dtypes=("float32",)),
    Function("math.bincount", lambda draw: _counted(draw, {}), count=12),
    Function("sparse.bincount", lambda draw: _counted(draw, {}), count=12),
    Function("sparse.mask", _slices, count=4, called=_masked),
    _crossed("ragged.cross", hashed=False),
    _crossed("ragged.cross_hashed", hashed=True),
    _crossed("sparse.cross", hashed=False),
    _crossed("sparse.cross_hashed", hashed=True),
    Function("sparse.cross.separator", _separated, count=2, called=lambda tf, *args, **o: tf.sparse.cross(*args, **o)),
]
