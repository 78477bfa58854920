"""`tf.linalg.LinearOperator...`: everything that an operator can be asked is compared."""

import dataclasses
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, Built, Draw, Function
from tests.ops.drawn.tables.linalg import COMPLEX, SOLVED

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
DEFINITE = {"is_self_adjoint": True, "is_positive_definite": True}
Call = tuple[list[Any], dict[str, Any]]


def answers(tf: Any, operator: Any, *_: Any) -> list[Any]:
    """The results of all methods that the operator has by its hints."""
    rows, columns = operator.shape[-2], operator.shape[-1]
    dtype = tf.as_dtype(operator.dtype).name
    batch = tuple(operator.batch_shape)
    x, y = vectors(tf, batch, columns, dtype), vectors(tf, batch, rows, dtype)
    found = [
        tf.constant([-1 if h is None else int(h) for h in (getattr(operator, name) for name in HINTS)]),
        operator.to_dense(), operator.matmul(x), operator.matvec(x[..., 0]), operator.matmul(y, adjoint=True),
        operator.matmul(tf.linalg.adjoint(x), adjoint_arg=True), operator.matvec(y[..., 1], adjoint=True),
        operator.diag_part(), operator.trace(), operator.cond(),
        operator.add_to_tensor(tf.ones((*batch, rows, columns), dtype)), operator.adjoint().to_dense(),
        operator.shape_tensor(), operator.batch_shape_tensor(),
    ]  # fmt: skip
    if operator.is_square:
        found += [operator.determinant(), operator.log_abs_determinant(), tf.linalg.adjoint(operator @ operator.H @ y)]
        found += [tf.sort(operator.eigvals())] if operator.is_self_adjoint and dtype in FLOATS else []
        found += solutions(tf, operator, y) if operator.is_non_singular is not False else []
    if operator.is_self_adjoint and operator.is_positive_definite:
        found += [operator.cholesky().to_dense()]
    return found


def vectors(tf: Any, batch: tuple[int, ...], size: int, dtype: str) -> Any:
    """Matrices of two columns."""
    numbers = np.broadcast_to(np.arange(2 * size).reshape(size, 2) % 5 - 1.5, (*batch, size, 2))
    return tf.constant((numbers + 0.5j if dtype in COMPLEX else numbers).astype(dtype))


def solutions(tf: Any, operator: Any, y: Any) -> list[Any]:
    """What is found by solving equations."""
    return [
        operator.solve(y), operator.solve(y, adjoint=True),
        operator.solvevec(y[..., 0]), operator.inverse().to_dense(),
        operator.solve(operator).to_dense(),
    ]  # fmt: skip


def leading(draw: Draw) -> tuple[int, ...]:
    return (2,) if draw.number == 2 else ()


def dtype_of(draw: Draw) -> str:
    """The dtype: float32 in the quick calls, which then share compiled programs."""
    return ("complex64", "float32", "float64", "float32")[draw.number]


def size(draw: Draw) -> int:
    """The number of rows: fewer in a batch, as the recorded answers are text."""
    return 2 if leading(draw) else 3


def matrix(draw: Draw, dtype: str, n: int = 0) -> np.ndarray:
    """Square matrices far from singular."""
    n = n or size(draw)
    return (draw.array((*leading(draw), n, n), dtype, special=False) / 3 + 4 * np.eye(n)).astype(dtype)


def positive(draw: Draw, dtype: str, n: int = 0) -> np.ndarray:
    """Self-adjoint matrices with positive eigenvalues."""
    n = n or size(draw)
    half = draw.array((*leading(draw), n, n), dtype, special=False) / 4
    return (half + np.conj(np.swapaxes(half, -1, -2)) + 5 * np.eye(n)).astype(dtype)


def vector(draw: Draw, dtype: str, n: int = 0) -> np.ndarray:
    """Numbers away from 0."""
    return draw.array((*leading(draw), n or size(draw)), dtype, 1.0, 3.0, special=False)


def full(draw: Draw) -> Call:
    dtype = dtype_of(draw)
    if draw.number == 3:
        return [draw.array((2, 3), dtype, special=False)], {}
    return ([positive(draw, dtype)], DEFINITE) if draw.number % 2 == 0 else ([matrix(draw, dtype)], {})


def lower(draw: Draw) -> Call:
    return [matrix(draw, dtype_of(draw))], {"is_non_singular": True} if draw.number % 2 else {}


def diagonal(draw: Draw) -> Call:
    dtype = dtype_of(draw)
    return [vector(draw, dtype)], {"is_positive_definite": True} if draw.number % 2 else {}


def identity(draw: Draw) -> Call:
    return [3], {"batch_shape": draw.choice([None, [2]]), "dtype": dtype_of(draw)}


def scaled(draw: Draw) -> Call:
    return [3, vector(draw, dtype_of(draw))[..., 0]], {"is_positive_definite": draw.choice([None, True])}


def zeros(draw: Draw) -> Call:
    if draw.number == 1:
        return [2, 3], {"is_square": False, "is_self_adjoint": False, "batch_shape": [2]}
    return [3], {"dtype": dtype_of(draw)}


def tridiagonal(draw: Draw) -> Call:
    dtype = dtype_of(draw)
    form = ["compact", "matrix", "sequence"][draw.number % 3]
    three = draw.array((3, *leading(draw), size(draw)), dtype, special=False) / 3
    three[1] += 4
    given: Any = np.moveaxis(three, 0, -2) if form == "compact" else list(three)
    whole = np.triu(np.tril(matrix(draw, dtype), 1), -1)
    return [whole if form == "matrix" else given], {"diagonals_format": form}


def toeplitz(draw: Draw) -> Call:
    dtype = dtype_of(draw)
    column, row = vector(draw, dtype), draw.array((*leading(draw), size(draw)), dtype, -1.0, 1.0, special=False)
    column[..., 0] += 6
    return [column, row], {}


def permutation(draw: Draw) -> Call:
    perm = np.argsort(draw.array((*leading(draw), size(draw)), "float32", special=False), -1).astype("int32")
    return [perm], {"dtype": dtype_of(draw)}


def operator(draw: Draw, kind: str, dtype: str, n: int = 0, **hints: Any) -> Built:
    name = f"linalg.LinearOperator{kind}"
    if kind == "Diag":
        entries = vector(draw, dtype, n)
        return Built(name, [entries.real.astype(dtype) if hints else entries], hints)
    return Built(name, [positive(draw, dtype, n) if hints else matrix(draw, dtype, n)], hints)


def one(draw: Draw) -> Call:
    """An operator of one operator."""
    hints = DEFINITE if draw.number % 2 else {}
    return [operator(draw, draw.choice(["FullMatrix", "LowerTriangular"]), dtype_of(draw), **hints)], {}


def two(draw: Draw) -> Call:
    """Operators of two operators."""
    dtype = dtype_of(draw)
    hints = DEFINITE if draw.number % 2 == 0 else {"is_non_singular": True} if draw.number == 1 else {}
    return [[operator(draw, "FullMatrix", dtype, 2, **hints), operator(draw, "Diag", dtype, 2, **hints)]], {}


def composed(draw: Draw) -> Call:
    operators = two(draw)[0][0]
    if draw.number == 2:
        wide = draw.array((2, 3), dtype_of(draw), special=False)
        operators.append(Built("linalg.LinearOperatorFullMatrix", [wide]))
    return [operators], {}


def triangular_blocks(draw: Draw) -> Call:
    dtype = dtype_of(draw)
    side = Built("linalg.LinearOperatorFullMatrix", [draw.array((2, 3), dtype, special=False)])
    rows = [[operator(draw, "FullMatrix", dtype, 3)], [side, operator(draw, "Diag", dtype, 2)]]
    return [rows], {}


def low_rank(draw: Draw) -> Call:
    dtype = dtype_of(draw)
    base = operator(draw, "Diag", dtype, **(DEFINITE if draw.number % 2 == 0 else {}))
    u = draw.array((*leading(draw), size(draw), 2), dtype, special=False) / 2
    if draw.number % 2 == 0:
        return [base, u], {}
    return [base, u, vector(draw, dtype, 2), draw.array((*leading(draw), size(draw), 2), dtype, special=False) / 4], {}


def circulant(depth: int) -> Any:
    def call(draw: Draw) -> Call:
        shape = (*leading(draw), *[(3,), (2, 2), (2, 1, 2)][depth - 1])
        # TensorFlow's adjoint loses the other input_output_dtype.
        spectrum = draw.array(shape, "complex64" if draw.number == 0 else "float32", 1.0, 3.0, special=False)
        return [spectrum], {"is_positive_definite": True} if draw.number else {}

    return call


def conjugate_gradient(draw: Draw) -> Call:
    dtype = FLOATS[draw.number % 2]
    options: dict[str, Any] = {"tol": draw.choice([1e-3, 1e-5]), "max_iter": draw.choice([1, 2, 20])}
    right = draw.array((*leading(draw), size(draw)), dtype, special=False)
    arguments: list[Any] = [Built("linalg.LinearOperatorFullMatrix", [positive(draw, dtype)], DEFINITE), right]
    if draw.number % 2:
        arguments.append(Built("linalg.LinearOperatorDiag", [vector(draw, dtype)], DEFINITE))
    return arguments, options


def made(kind: str, call: Any, **options: Any) -> Function:
    within = {"float32": 1e-4, "float64": 1e-10}
    return Function(f"linalg.LinearOperator{kind}", call, 3, within, answers, **options)


CALLS = [
    dataclasses.replace(made("FullMatrix", full), count=4),
    made("LowerTriangular", lower),
    made("Diag", diagonal),
    made("Identity", identity),
    made("ScaledIdentity", scaled),
    made("Zeros", zeros),
    made("Tridiag", tridiagonal),
    made("Toeplitz", toeplitz),
    made("Permutation", permutation),
    made("Householder", lambda draw: ([vector(draw, dtype_of(draw))], {})),
    made("Adjoint", one),
    made("Inversion", one),
    made("Composition", composed),
    made("LowRankUpdate", low_rank),
    made("BlockDiag", two),
    made("BlockLowerTriangular", triangular_blocks),
    made("Kronecker", two),
    made("Circulant", circulant(1)),
    made("Circulant2D", circulant(2)),
    made("Circulant3D", circulant(3)),
    Function(
        "linalg.experimental.conjugate_gradient",
        conjugate_gradient,
        4,
        SOLVED,
        lambda tf, state, *_: (state.i, state.x),
    ),
]
# Those that compute most by themselves; the others are thorough altogether.
QUICK = {
    "FullMatrix",
    "Diag",
    "Toeplitz",
    "Composition",
    "LowRankUpdate",
    "BlockLowerTriangular",
    "Kronecker",
    "Circulant2D",
}
FUNCTIONS: list[Function] = [
    dataclasses.replace(function, quick=(1,) if function.name.rpartition("Operator")[2] in QUICK else ())
    for function in CALLS
]
