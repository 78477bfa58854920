"""`tf.linalg`: products, norms, diagonals, decompositions, solving.

What TensorFlow does not determine, as the signs of eigenvectors, is left out of the comparison: `compared` puts matrices
together again from their parts.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, Draw, Function

COMPLEX = ("complex64", "complex128")
NUMBERS = (*FLOATS, *COMPLEX)
# Errors of condition: matrices here are well-conditioned, but their inverses lose a digit.
SOLVED = {"float32": 2e-5, "float64": 1e-11}
SINGULAR = "a matrix without an inverse, for which compiled programs cannot raise"
UNWRITTEN = "of a matrix that is not definite TensorFlow returns partly what was in memory before"
ONE_ROW = "TensorFlow fails to read the diagonals of a matrix of one row"
WITHOUT_GRADIENT = "TensorFlow cannot compute its own gradient here"
Shape = tuple[int, ...]


def batch(draw: Draw) -> Shape:
    """The leading dimensions of matrices; one in eight has none in its batch."""
    return draw.choice([(), (), (), (2,), (2,), (1, 2), (2,), (0,)])


def size(draw: Draw) -> int:
    """The number of rows of a square matrix."""
    return draw.choice([1, 2, 3, 3, 3, 0]) if draw.number == 7 else draw.choice([2, 3])


def general(draw: Draw, shape: Shape, dtype: str) -> np.ndarray:
    """Numbers without infinities and NaN."""
    return draw.array(shape, dtype, special=False)


def square(draw: Draw, dtype: str, leading: Shape | None = None, n: int | None = None) -> np.ndarray:
    """Matrices with an inverse."""
    leading = batch(draw) if leading is None else leading
    n = size(draw) if n is None else n
    return (general(draw, (*leading, n, n), dtype) + 5 * np.eye(n)).astype(dtype)


def hermitian(draw: Draw, dtype: str, definite: bool = True) -> np.ndarray:
    """Self-adjoint matrices, exact in float32; definite: with positive eigenvalues."""
    half = square(draw, dtype)
    n = half.shape[-1]
    whole = np.round((half + np.conj(np.swapaxes(half, -1, -2))) * 4) / 8
    return (whole + (6 if definite else -4) * np.eye(n)).astype(dtype)


def of(kind: Callable[[Draw, str], np.ndarray], dtypes: Sequence[str] = NUMBERS) -> Callable[[Draw], Any]:
    """Calls with one matrix, or a batch of them."""
    return lambda draw: ([kind(draw, draw.choice(dtypes))], {})


def rectangular(draw: Draw, dtype: str) -> np.ndarray:
    """Matrices of any sizes, one of which may be 0."""
    return general(draw, (*batch(draw), *draw.choice([(3, 2), (2, 3), (3, 3), (1, 3), (3, 1), (0, 2), (2, 2)])), dtype)


def adjoint(tf: Any, x: Any) -> Any:
    """The conjugate transpose."""
    return tf.math.conj(tf.linalg.matrix_transpose(x))


# --- Products and norms ---------------------------------------------------------------------------------------------------


def matmul(draw: Draw) -> Any:
    dtype = draw.choice([*NUMBERS, "int32", "int64"])
    a, b = draw.broadcastable(min_rank=0, max_rank=2)
    rows, inner, columns = draw.integer(0, 3), draw.integer(0 if draw.number == 3 else 1, 3), draw.integer(1, 3)
    flip_a, flip_b = draw.choice(["", "transpose_a", "adjoint_a"]), draw.choice(["", "transpose_b", "adjoint_b"])
    first = (*a, inner, rows) if flip_a else (*a, rows, inner)
    second = (*b, columns, inner) if flip_b else (*b, inner, columns)
    options = {name: True for name in (flip_a, flip_b) if name}
    if draw.number == 11:
        options["transpose_a"] = options["adjoint_a"] = True  # an error
    return [draw.array(first, dtype), draw.array(second, dtype)], options


def matvec(draw: Draw) -> Any:
    dtype = draw.choice([*NUMBERS, "int32"])
    a, b = draw.broadcastable(max_rank=2)
    rows, inner = draw.integer(0, 3), draw.integer(1, 3)
    flip = draw.choice(["", "transpose_a", "adjoint_a"])
    first = (*a, inner, rows) if flip else (*a, rows, inner)
    return [draw.array(first, dtype), draw.array((*b, inner), dtype)], {flip: True} if flip else {}


def tensordot(draw: Draw) -> Any:
    dtype = draw.choice([*FLOATS, "int32", "complex64"])
    axes = draw.choice([0, 1, 2, [[0], [1]], [[0, 1], [1, 0]], [1, 0], [[-1], [0]], ((), ())])
    return [draw.array((2, 2, 3) if axes == 0 else (2, 2), dtype), draw.array((2, 2), dtype)], {"axes": axes}


def einsum(draw: Draw) -> Any:
    sizes = {"i": 2, "j": 3, "k": draw.choice([1, 2, 0]), "b": 2}
    equation = draw.choice([
        "ij,jk->ik", "ij,jk", "bij,bjk->bik", "ii->i", "ij->ji", "ij->", "...ij,...jk->...ik", "i,j,k->ijk", "iij->ij",
        "ij,ij->", "ba", "i...->...",
    ])  # fmt: skip
    sizes["a"] = 3
    leading = {"...ij": (2,), "...jk": (1,), "i...": ()}
    terms = equation.split("->")[0].split(",")
    shapes = [
        (*leading.get(t, ()), *(sizes[c] for c in t if c != "."), *((3,) if t.endswith("...") else ())) for t in terms
    ]
    dtype = draw.choice([*NUMBERS, "int32"])
    return [equation, *(draw.array(s, dtype) for s in shapes)], {}


def norm(draw: Draw) -> Any:
    """Vector norms of all entries or along an axis, matrix norms, and what is none."""
    dtype = draw.choice(NUMBERS)
    kind = draw.number % 4
    axis = [None, draw.choice([0, 1, -1]), draw.choice([(0, 1), (-2, -1), [1, 0]]), draw.choice([None, 1])][kind]
    matrix = ["euclidean", "fro", 1, 2, np.inf]
    vector = ["euclidean", 1, 2, np.inf, 3, 2.5]
    order = draw.choice(matrix if kind == 2 else vector)
    if draw.number == 15:
        order = draw.choice(["fro", 0, -1, "nuclear"])  # errors without a pair of axes
    array = general(draw, (2, 3) if order == 2 else draw.choice([(2, 3), (3, 2), (2, 3, 2), (2, 0)]), dtype)
    return [array], {"ord": order, "axis": axis, "keepdims": draw.choice([None, False, True])}


def normalize(draw: Draw) -> Any:
    axis = draw.choice([None, 0, -1])
    order = draw.choice(["euclidean", 1, 2, np.inf, 3])
    return [draw.array(draw.choice([(2, 3), (2, 2, 2)]), draw.choice(NUMBERS))], {"ord": order, "axis": axis}


def l2_normalize(draw: Draw) -> Any:
    axis = draw.choice([None, 0, -1, [0, 1]])
    return [draw.array((2, 3), draw.choice(NUMBERS))], {"axis": axis, "epsilon": draw.choice([1e-12, 0.5])}


def cross(draw: Draw) -> Any:
    a = draw.choice([(3,), (2, 3), (2, 1, 3), (0, 3), (2, 2)])
    dtype = draw.choice([*FLOATS, "int32", "complex64"])
    return [draw.array(a, dtype), draw.array(a if draw.number % 5 else (3,), dtype)], {}


def global_norm(draw: Draw) -> Any:
    dtype = draw.choice([*FLOATS, "complex64"])
    return [[draw.array(draw.shape(max_rank=2), dtype), None, draw.array((2,), dtype)]], {}


# --- Diagonals ------------------------------------------------------------------------------------------------------------


ALIGN = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
ENTRIES = (*NUMBERS, "int32", "int64", "bool", "uint8")


def band(draw: Draw) -> Any:
    """Values of `k` and how many diagonals there are."""
    return draw.choice([(0, 1), ((-1, 0), 2), ((0, 1), 2), (1, 1), (-1, 1), ((-1, 1), 3), (2, 1), ((0, 0), 1)])


def diag(draw: Draw) -> Any:
    if draw.number < 3:
        return [draw.array(draw.shape(min_rank=1), draw.choice(ENTRIES))], {}
    k, count = band(draw)
    length = draw.integer(2, 3)
    shape = (*batch(draw), *((count,) if count > 1 else ()), length)
    dtype = draw.choice(ENTRIES)
    options: dict[str, Any] = {"k": k, "align": draw.choice(ALIGN)}
    if draw.flag():
        options["padding_value"] = draw.integer(0, 5)
    if draw.number % 3 == 1:
        options["num_rows" if draw.flag() else "num_cols"] = length + draw.integer(0, 3)  # an error if they do not fit
    return [draw.array(shape, dtype)], options


def diag_part(draw: Draw) -> Any:
    k, _ = band(draw)
    options = {"k": k, "align": draw.choice(ALIGN), "padding_value": draw.integer(0, 5)} if draw.number > 3 else {}
    shape = (*batch(draw), *draw.choice([(3, 3), (2, 3), (3, 2), (4, 3), (3, 1)]))
    return [draw.array(shape, draw.choice(ENTRIES))], options


def set_diag(draw: Draw) -> Any:
    k, count = band(draw) if draw.number > 3 else (0, 1)
    leading, rows, columns = batch(draw), draw.integer(3, 4), draw.integer(3, 4)
    low, high = k if isinstance(k, tuple) else (k, k)
    length = min(rows + min(high, 0), columns - max(low, 0)) + (draw.number == 9)  # an error
    dtype = draw.choice(ENTRIES)
    diagonal = draw.array((*leading, *((count,) if count > 1 else ()), length), dtype)
    options = {"k": k, "align": draw.choice(ALIGN)} if draw.number > 3 else {}
    return [draw.array((*leading, rows, columns), dtype), diagonal], options


def tensor_diag(draw: Draw) -> Any:
    return [
        draw.array(
            draw.shape(min_rank=draw.number > 0, max_rank=2, max_size=3), draw.choice([*NUMBERS, "int32", "int64"])
        )
    ], {}


def tensor_diag_part(draw: Draw) -> Any:
    half = draw.shape(min_rank=1, max_rank=2, max_size=2)
    shape = (*half, *half) if draw.number % 4 else draw.choice([(2, 3), (2, 2, 2), (2,)])
    return [draw.array(shape, draw.choice([*NUMBERS, "int32", "int64"]))], {}


def band_part(draw: Draw) -> Any:
    rows, columns = draw.integer(1, 4), draw.integer(1, 4)
    kept = [draw.integer(-1, rows), draw.integer(-1, columns + (draw.number == 5))]
    return [draw.array((*batch(draw), rows, columns), draw.choice(ENTRIES)), *kept], {}


def transposed(draw: Draw) -> Any:
    shape = draw.shape(min_rank=1 if draw.number == 4 else 2)
    return [draw.array(shape, draw.choice([*NUMBERS, "int32", "bool"]))], {}


def matrix_transpose(draw: Draw) -> Any:
    return transposed(draw)[0], {"conjugate": draw.flag()}


# --- Decompositions -------------------------------------------------------------------------------------------------------


def lower_only(draw: Draw) -> Any:
    """A self-adjoint matrix of which the lower triangle counts; one is not definite."""
    array = hermitian(draw, draw.choice(NUMBERS))
    array = array + np.triu(np.ones(array.shape[-2:]), 1).astype(array.dtype)
    shift = 20 * np.eye(array.shape[-1]) * (draw.number == 3)
    return [array - shift.astype(array.dtype)], {}


def lower_triangle(tf: Any, result: Any, *_: Any) -> Any:
    """In the upper one TensorFlow leaves what was in memory, if the matrix is not definite."""
    return tf.linalg.band_part(result, -1, 0)


def lower_only_indefinite(draw: Draw) -> Any:
    array = hermitian(draw, draw.choice(NUMBERS), definite=False)
    return [array + np.triu(np.ones(array.shape[-2:]), 1).astype(array.dtype)], {}


def rebuilt_eigh(tf: Any, result: Any, *_: Any) -> Any:
    e, v = result
    return e, tf.abs(v), tf.matmul(v * tf.cast(e, v.dtype)[..., None, :], adjoint(tf, v))


def distinct(draw: Draw, dtype: str) -> np.ndarray:
    """Square matrices with real eigenvalues that differ, in ascending order of their size."""
    array = square(draw, dtype)
    n = array.shape[-1]
    return (array * np.tri(n, dtype=array.dtype) / 4 + np.diag(3.0 * np.arange(n) + 2)).astype(dtype)


def sorted_by_size(tf: Any, e: Any) -> Any:
    order = tf.argsort(tf.math.abs(e), axis=-1)
    return tf.gather(e, order, axis=-1, batch_dims=len(e.shape) - 1)


def rebuilt_eig(tf: Any, result: Any, x: Any) -> Any:
    e, v = result
    whole = tf.matmul(v * e[..., None, :], tf.linalg.inv(v))
    order = tf.argsort(tf.math.abs(e), axis=-1)
    weighed = tf.reduce_sum(tf.math.real(v * tf.math.conj(v)) ** 2, -2)
    lengths = tf.gather(weighed, order, axis=-1, batch_dims=len(e.shape) - 1)
    return sorted_by_size(tf, tf.math.real(e)), whole, lengths


def svd(draw: Draw) -> Any:
    options = {"full_matrices": draw.flag(), "compute_uv": draw.number % 4 != 0}
    return [rectangular(draw, draw.choice(NUMBERS))], options


def rebuilt_svd(tf: Any, result: Any, *_: Any) -> Any:
    if not isinstance(result, tuple | list):
        return result
    s, u, v = result
    n = s.shape[-1]
    short = tf.matmul(u[..., :n] * tf.cast(s, u.dtype)[..., None, :], adjoint(tf, v[..., :n]))
    return s, short, tf.abs(u[..., :n]), tf.matmul(adjoint(tf, u), u), tf.matmul(adjoint(tf, v), v)


def qr(draw: Draw) -> Any:
    return [rectangular(draw, draw.choice(NUMBERS))], {"full_matrices": draw.flag()}


def rebuilt_qr(tf: Any, result: Any, *_: Any) -> Any:
    q, r = result
    n = min(r.shape[-2:])
    return tf.matmul(q, r), tf.matmul(adjoint(tf, q), q), tf.abs(r), tf.abs(q[..., :n])


def lu(draw: Draw) -> Any:
    array = square(draw, draw.choice(NUMBERS))
    if draw.number == 3:
        array = array * 0  # an error
    options = {"output_idx_type": draw.choice(["int32", "int64"])} if draw.flag() else {}
    return [array], options


def rebuilt_lu(tf: Any, result: Any, x: Any) -> Any:
    """Which rows of complex matrices change places is not determined."""
    if 0 in x.shape:
        return result
    whole = tf.linalg.lu_reconstruct(result[0], tf.cast(result[1], tf.int32))
    return (whole, tf.sort(result[1])) if tf.as_dtype(x.dtype).is_complex else (whole, *result)


def eigh_tridiagonal(draw: Draw) -> Any:
    dtype = draw.choice(NUMBERS)
    n = draw.integer(2, 4)
    options = {0: {}, 1: {"select": "i", "select_range": (0, n - 2)}, 2: {"select": "v", "select_range": (-2.0, 4.0)}}
    alpha = general(draw, (n,), dtype).real.astype(dtype) + 3 * np.arange(n).astype(dtype)
    return [alpha, general(draw, (n - 1,), dtype) + np.ones(n - 1, dtype)], {
        "eigvals_only": draw.number % 2 == 0, **options[draw.number // 3 % 3],
    }  # fmt: skip


def absolute_vectors(tf: Any, result: Any, *_: Any) -> Any:
    return (result[0], tf.abs(result[1])) if isinstance(result, tuple | list) else result


# --- Solving --------------------------------------------------------------------------------------------------------------


def solve(draw: Draw) -> Any:
    dtype = draw.choice(NUMBERS)
    matrix = square(draw, dtype)
    if draw.number == 3:
        matrix = matrix * 0  # an error
    rhs = general(draw, (*matrix.shape[:-1], draw.integer(1, 2)), dtype)
    if draw.number == 6:
        rhs = rhs[..., 0]  # an error
    return [matrix, rhs], {"adjoint": draw.flag()}


def broadcast_pair(draw: Draw, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """A matrix and right-hand sides whose leading dimensions broadcast."""
    first, second = draw.choice([((), ()), ((2,), ()), ((), (2,)), ((2, 1), (2,)), ((2,), (2,))])
    n = size(draw)
    return square(draw, dtype, first, n), general(draw, (*second, n, draw.integer(1, 2)), dtype)


def triangular_solve(draw: Draw) -> Any:
    matrix, rhs = broadcast_pair(draw, draw.choice(NUMBERS))
    if draw.number == 3:
        matrix = matrix * 0  # an error
    return [matrix, rhs], {"lower": draw.flag(), "adjoint": draw.flag()}


def cholesky_solve(draw: Draw) -> Any:
    return list(broadcast_pair(draw, draw.choice(NUMBERS))), {}


def inv(draw: Draw) -> Any:
    matrix = square(draw, draw.choice(NUMBERS))
    return [matrix * (draw.number != 3)], {"adjoint": draw.flag()}


def determinant(draw: Draw) -> Any:
    matrix = square(draw, draw.choice(NUMBERS))
    return [np.round(matrix) if draw.number % 2 else matrix], {}


def singular(draw: Draw) -> Any:
    """Every third matrix has no inverse."""
    matrix = square(draw, draw.choice(NUMBERS))
    return [matrix * (draw.number % 3 != 1)], {}


def packed(draw: Draw) -> tuple[np.ndarray, np.ndarray]:
    """What `lu` returns: both triangles in one matrix, and the order of the rows."""
    matrix = square(draw, draw.choice(NUMBERS))
    order = np.argsort(draw.array(matrix.shape[:-1], "float32", special=False), axis=-1)
    return matrix, order.astype(draw.choice(["int32", "int64"]) if draw.number % 2 else "int32")


def lu_solve(draw: Draw) -> Any:
    matrix, order = packed(draw)
    return [matrix, order, general(draw, (*matrix.shape[:-1], 2), matrix.dtype.name)], {"validate_args": draw.flag()}


def lu_parts(draw: Draw) -> Any:
    return list(packed(draw)), {"validate_args": draw.flag()}


def lstsq(draw: Draw) -> Any:
    matrix = rectangular(draw, draw.choice(NUMBERS))
    if draw.number == 4:
        matrix = matrix * 0  # an error
    options = {"l2_regularizer": draw.choice([0.0, 0.5])} if draw.number % 3 else {}
    return [matrix, general(draw, (*matrix.shape[:-1], 2), matrix.dtype.name)], options


def deficient(draw: Draw) -> np.ndarray:
    """Matrices of any sizes; every other one is of rank 1."""
    matrix = rectangular(draw, draw.choice(FLOATS))
    matrix = np.abs(matrix) + 1
    return matrix if draw.number % 2 else matrix[..., :1] * matrix[..., :1, :]


def pinv(draw: Draw) -> Any:
    return [deficient(draw)], {"rcond": draw.choice([None, 0.1])}


def matrix_rank(draw: Draw) -> Any:
    return [deficient(draw)], {"tol": draw.choice([None, 0.5, 4.0])}


def banded_triangular_solve(draw: Draw) -> Any:
    dtype, n, leading = draw.choice(NUMBERS), draw.integer(2, 4), draw.choice([(), (2,)])
    bands = general(draw, (*leading, draw.integer(1, n), n), dtype) + 5
    rhs = general(draw, (*(leading if draw.flag() else ()), n, 2), dtype)
    return [bands.astype(dtype), rhs], {"lower": draw.flag(), "adjoint": draw.flag()}


# --- Tridiagonal matrices -------------------------------------------------------------------------------------------------


def tridiagonal(draw: Draw, dtype: str, leading: Shape, n: int, *, sequence: bool) -> tuple[Any, str]:
    """A tridiagonal matrix in one of the three formats, and its name."""
    form = draw.choice(["compact", "matrix", "sequence"] if sequence else ["compact", "matrix"])
    if form == "matrix":
        return square(draw, dtype, leading, n), form
    diagonals = general(draw, (*leading, 3, n), dtype)
    diagonals[..., 1, :] += 8
    if form == "compact":
        return diagonals, form
    short = draw.flag()
    below = diagonals[..., 2, 1:] if short else diagonals[..., 2, :]
    return [diagonals[..., 0, : n - short], diagonals[..., 1, :], below], form


def tridiagonal_solve(draw: Draw) -> Any:
    dtype, n, leading = draw.choice(NUMBERS), draw.integer(1, 4), draw.choice([(), (), (2,), (1, 2)])
    diagonals, form = tridiagonal(draw, dtype, leading, n, sequence=True)
    options: dict[str, Any] = {"diagonals_format": form}
    shape: Shape = (*leading, n, 2)
    if draw.number % 3 == 0:
        shape = (*leading, n)
    elif draw.flag():
        shape, options["transpose_rhs"] = (*leading, 2, n), True
    if draw.flag():
        options["conjugate_rhs"] = True
    if draw.number == 8:
        options["partial_pivoting"] = False
    return [diagonals, general(draw, shape, dtype)], options


def tridiagonal_matmul(draw: Draw) -> Any:
    dtype, n, leading = draw.choice(NUMBERS), draw.integer(1, 4), draw.choice([(), (), (2,), (1, 2)])
    diagonals, form = tridiagonal(draw, dtype, leading, n, sequence=False)
    if form == "compact" and draw.flag():
        diagonals, form = [diagonals[..., i, :] for i in range(3)], "sequence"
    return [diagonals, general(draw, (*leading, n, 2), dtype)], {"diagonals_format": form}


# --- Functions of matrices ------------------------------------------------------------------------------------------------


def expm(draw: Draw) -> Any:
    array = square(draw, draw.choice(NUMBERS))
    factor = draw.choice([0.05, 0.3, 1.0, -1.0, -100.0])
    return [(array * factor).astype(array.dtype)], {}


def positive_spectrum(draw: Draw, dtype: str) -> np.ndarray:
    """Matrices that are not symmetric, and whose eigenvalues are not negative numbers."""
    return square(draw, dtype)


def sqrtm(draw: Draw) -> Any:
    array = positive_spectrum(draw, draw.choice(NUMBERS))
    return [-array if draw.number == 4 and array.dtype.kind == "c" else array], {}


CALLS = [
    Function("linalg.matmul", matmul, gradients=True),
    Function("linalg.matvec", matvec, gradients=True),
    Function("linalg.tensordot", tensordot, gradients=True),
    Function("linalg.einsum", einsum, gradients=True),
    Function("linalg.norm", norm, count=16, gradients=True),
    Function("linalg.normalize", normalize, gradients=True),
    Function("linalg.l2_normalize", l2_normalize, gradients=True),
    Function("linalg.cross", cross, gradients=True),
    Function("linalg.global_norm", global_norm, count=6, differ={1: "TensorFlow has no norm of complex tensors here"}),
    Function("linalg.diag", diag, gradients=True),
    Function("linalg.diag_part", diag_part, gradients=True),
    Function("linalg.set_diag", set_diag, gradients=True),
    Function("linalg.tensor_diag", tensor_diag, count=8, gradients=True),
    Function("linalg.tensor_diag_part", tensor_diag_part, count=8, gradients=True),
    Function("linalg.band_part", band_part, gradients=True),
    Function("linalg.trace", transposed, count=8, gradients=True),
    Function("linalg.adjoint", transposed, count=8, gradients=True),
    Function("linalg.matrix_transpose", matrix_transpose, count=8, gradients=True),
    Function("linalg.cholesky", lower_only, count=10, compared=lower_triangle, gradients=True, within=SOLVED),
    Function("linalg.eigh", lower_only_indefinite, count=10, compared=rebuilt_eigh, gradients=True, within=SOLVED),
    Function("linalg.eigvalsh", lower_only_indefinite, count=8, gradients=True, within=SOLVED),
    Function("linalg.eig", of(distinct), count=8, compared=rebuilt_eig, gradients=True, within=SOLVED),
    Function("linalg.eigvals", of(distinct), count=8, compared=lambda tf, e, *_: sorted_by_size(tf, e), within=SOLVED),
    Function("linalg.svd", svd, count=10, compared=rebuilt_svd, gradients=True, within=SOLVED),
    Function("linalg.qr", qr, count=10, compared=rebuilt_qr, gradients=True, within=SOLVED),
    Function("linalg.lu", lu, count=10, compared=rebuilt_lu, within=SOLVED, differ={3: SINGULAR}),
    Function("linalg.eigh_tridiagonal", eigh_tridiagonal, count=9, compared=absolute_vectors, within=SOLVED),
    Function("linalg.inv", inv, count=10, gradients=True, within=SOLVED, differ={3: SINGULAR}),
    Function("linalg.det", determinant, count=10, gradients=True, within=SOLVED),
    Function("linalg.slogdet", singular, count=8, within=SOLVED),
    Function("linalg.logdet", lower_only, count=8, gradients=True, within=SOLVED, differ={3: UNWRITTEN}),
    Function("linalg.solve", solve, count=10, gradients=True, within=SOLVED, differ={3: SINGULAR}),
    Function(
        "linalg.triangular_solve",
        triangular_solve,
        count=10,
        gradients=True,
        within=SOLVED,
        differ={3: "a complex number divided by 0 is NaN here, sometimes infinite in TensorFlow"},
    ),
    Function("linalg.cholesky_solve", cholesky_solve, count=8, gradients=True, within=SOLVED),
    Function("linalg.lu_solve", lu_solve, count=8, gradients=True, within=SOLVED, differ={7: WITHOUT_GRADIENT}),
    Function("linalg.lu_reconstruct", lu_parts, count=8, gradients=True, within=SOLVED, differ={7: WITHOUT_GRADIENT}),
    Function("linalg.lu_matrix_inverse", lu_parts, count=8, gradients=True, within=SOLVED),
    Function(
        "linalg.lstsq",
        lstsq,
        count=10,
        gradients=True,
        within=SOLVED,
        differ={1: "TensorFlow has no regularizer of complex matrices"},
    ),
    Function("linalg.pinv", pinv, count=8, within=SOLVED),
    Function("linalg.matrix_rank", matrix_rank, count=8),
    Function(
        "linalg.banded_triangular_solve",
        banded_triangular_solve,
        count=10,
        gradients=True,
        within=SOLVED,
        differ=dict.fromkeys([6, 7], "TensorFlow's gradient of a single diagonal lacks a dimension"),
    ),
    Function("linalg.tridiagonal_solve", tridiagonal_solve, gradients=True, within=SOLVED, differ={2: ONE_ROW}),
    Function(
        "linalg.tridiagonal_matmul", tridiagonal_matmul, count=8, gradients=True, within=SOLVED, differ={5: ONE_ROW}
    ),
    Function("linalg.expm", expm, count=10, gradients=True, within={"float32": 1e-4, "float64": 1e-10}),
    Function("linalg.sqrtm", sqrtm, count=8, gradients=True, within=SOLVED),
    Function("linalg.logm", of(positive_spectrum, COMPLEX), count=8, within=SOLVED),
]

# Most of the time goes into the compilation of a program for each shape. So one call is quick, in turns in Python and compiled.
FUNCTIONS: list[Function] = [
    dataclasses.replace(function, quick=(1 + number % 2,)) for number, function in enumerate(CALLS)
]
