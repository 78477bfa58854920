"""Sparse tensors: `tf.sparse`, and embeddings of sparse ids."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Built, Draw, Function
from tests.ops.drawn.tables.string_arrays import words

DTYPES = ("float32", "float64", "int32", "int64")


def sparse(draw: Draw, shape: Sequence[int], dtype: str, *, low: float = -3.0, ordered: bool = True) -> Built:
    """A sparse tensor of this shape, of which about half of the places have an entry."""
    places = np.argwhere(draw.array(shape, "bool"))
    places = places if ordered else places[::-1]
    values = words(draw, (len(places),)) if dtype == "object" else draw.array((len(places),), dtype, low, special=False)
    return Built("SparseTensor", [places.astype(np.int64), values, list(shape)])


def of_sparse(
    name: str, rest: Callable[[Draw, Sequence[int]], Any] = lambda draw, shape: ([], {}), **options: Any
) -> Function:
    """A function of a sparse tensor first, and of what `rest` draws for its shape."""
    dtypes, ranks, kinds = options.pop("dtypes", DTYPES), options.pop("ranks", (1, 3)), options.pop("kinds", {})

    def call(draw: Draw) -> Any:
        shape = draw.shape(*ranks, min_size=1, max_size=3)
        given = sparse(draw, shape, draw.choice(dtypes), **kinds)
        more, keywords = rest(draw, shape)
        return [given, *more], keywords

    return Function(name, call, **{"count": 6, **options})


def _pair(draw: Draw) -> Any:
    shape, dtype = draw.shape(1, 2, min_size=1, max_size=3), draw.choice(DTYPES)
    return [sparse(draw, shape, dtype), sparse(draw, shape, dtype)], {}


def _sum(draw: Draw) -> Any:
    (a, b), _ = _pair(draw)
    if draw.flag():
        return [a, b], {}
    return [a, draw.array(a.args[2], a.args[1].dtype.name, special=False)], {}


def _product(draw: Draw) -> Any:
    m, k, n = (draw.integer(1, 3) for _ in range(3))
    first, second = draw.flag(), draw.flag()
    dtype = draw.choice(("float32", "float64"))
    a = sparse(draw, (k, m) if first else (m, k), dtype)
    b = draw.array((n, k) if second else (k, n), dtype, special=False)
    return [a, b], {"adjoint_a": first, "adjoint_b": second}


def _reduce(draw: Draw, shape: Sequence[int]) -> Any:
    axis = draw.choice((None, 0, -1, [0, len(shape) - 1]))
    return [axis], {"keepdims": draw.flag(), "output_is_sparse": draw.number % 3 == 1}


def _reshape(draw: Draw, shape: Sequence[int]) -> Any:
    return [draw.choice(([-1], [int(np.prod(shape)), 1], [1, -1]))], {}


def _slice(draw: Draw, shape: Sequence[int]) -> Any:
    return [[draw.integer(0, n) for n in shape], [draw.integer(0, 3) for _ in shape]], {}


def _concat(draw: Draw) -> Any:
    shape, dtype = draw.shape(1, 2, min_size=1, max_size=3), draw.choice((*DTYPES, "object"))
    return [draw.axis(len(shape)), [sparse(draw, shape, dtype) for _ in range(draw.integer(1, 3))]], {}


def _fill(draw: Draw, shape: Sequence[int]) -> Any:
    return [draw.choice((-1, 0))], {}


def _split(draw: Draw, shape: Sequence[int]) -> Any:
    axis = draw.axis(len(shape))
    return [draw.integer(1, shape[axis]), axis], {}


def _retain(draw: Draw) -> Any:
    given = sparse(draw, draw.shape(1, 2, min_size=1, max_size=3), draw.choice(DTYPES))
    return [given, draw.array((len(given.args[1]),), "bool")], {}


def _segments(draw: Draw) -> Any:
    count = draw.integer(0, 4)
    data = draw.array((3, 2), draw.choice(("float32", "float64")), special=False)
    ids = np.sort(draw.array((count,), "int32", 0, 2))
    return [data, draw.array((count,), "int32", 0, 2), ids], {"num_segments": 3} if draw.flag() else {}


def _lookup(draw: Draw) -> Any:
    table, shape = draw.array((4, 2), "float32", special=False), (3, 3)
    ids = sparse(draw, shape, "int64", low=0)
    weights = Built(
        "SparseTensor", [ids.args[0], draw.array((len(ids.args[1]),), "float32", 0.1, 2.0, special=False), [3, 3]]
    )
    return [table, ids, draw.choice((None, weights))], {"combiner": draw.choice(("mean", "sum", "sqrtn"))}


def _safe_lookup(draw: Draw) -> Any:
    (table, ids, weights), options = _lookup(draw)
    ids.args[1][:1] = -1
    return [table, ids, weights], options | {"default_id": draw.choice((None, 1))}


_REDUCED = "sparse sums have a gradient (TF: LookupError, none is registered)"
_MEMORY = "no rows: the gradient is None (TF: whatever the memory held)"


def _squares(tf: Any, result: Any, *tensors: Any) -> Any:
    return tf.square(result.values)  # the gradient of the sum of a softmax is 0 but for rounding


FUNCTIONS = [
    of_sparse("sparse.to_dense", dtypes=(*DTYPES, "object"), gradients=True),
    Function("sparse.from_dense", lambda draw: ([draw.array(draw.shape(1, 3), draw.choice(DTYPES), -1, 1)], {}), count=4),
    of_sparse("sparse.reorder", kinds={"ordered": False}, gradients=True),
    of_sparse("sparse.transpose"),
    of_sparse("sparse.reshape", _reshape),
    of_sparse("sparse.expand_dims", lambda draw, shape: ([draw.integer(-1, len(shape))], {}), count=4),
    of_sparse("sparse.reset_shape", lambda draw, shape: ([draw.choice((None, [n + 1 for n in shape]))], {}), count=4),
    Function("sparse.retain", _retain, count=4, gradients=True),
    of_sparse("sparse.slice", _slice),
    of_sparse("sparse.split", _split),
    Function("sparse.concat", _concat, count=6),
    of_sparse("sparse.fill_empty_rows", _fill, ranks=(2, 2), dtypes=("int32", "int64")),
    Function("sparse.eye", lambda draw: ([draw.integer(0, 3), draw.choice((None, 2))], {}), count=3),
    Function("sparse.add", _sum, count=6),
    Function("sparse.maximum", _pair, count=4),
    Function("sparse.minimum", _pair, count=4),
    of_sparse("sparse.reduce_sum", _reduce, gradients=True, dtypes=("float32", "float64"),
              differ=dict.fromkeys((1, 4), _REDUCED)),
    of_sparse("sparse.reduce_max", _reduce),
    of_sparse("sparse.softmax", ranks=(2, 3), dtypes=("float32", "float64"), gradients=True, compared=_squares),
    Function("sparse.sparse_dense_matmul", _product, count=6, gradients=True),
    of_sparse("sparse.to_indicator", lambda draw, shape: ([4], {}), kinds={"low": 0}, dtypes=("int32", "int64"), ranks=(1, 2)),
    of_sparse("sparse.map_values", count=2, called=lambda tf, x: tf.sparse.map_values(tf.add, x, 1)),
    of_sparse("abs", count=2),
    Function("sparse.segment_sum", _segments, count=4, gradients=True),
    Function("sparse.segment_mean", _segments, count=4, gradients=True, differ={0: _MEMORY}),
    Function("sparse.segment_sqrt_n", _segments, count=4, gradients=True),
    Function("nn.embedding_lookup_sparse", _lookup, count=6, gradients=True),
    Function("nn.safe_embedding_lookup_sparse", _safe_lookup, count=6),
]  # fmt: skip
