"""Linear equations, inverses, determinants and ranks."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, operands, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.linalg._decompositions import cholesky, square_matrices
from stratagem._ops.linalg._diagonals import diag, diag_part
from stratagem._ops.linalg._products import adjoint_of


class LogMatrixDeterminant(NamedTuple):
    """The determinant sign * exp(log_abs_determinant), which `slogdet` returns."""

    sign: Tensor
    log_abs_determinant: Tensor


@exported("linalg.inv", v1=["matrix_inverse", "linalg.inv"])
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices, or of their adjoints; infinite or NaN if there is none."""
    array = square_matrices("inv", input)
    return jnp.linalg.inv(adjoint_of(array) if adjoint else array)


@exported("linalg.det", v1=["matrix_determinant", "linalg.det"])
def det(input: Any, name: str | None = None) -> Tensor:
    """The determinant of square matrices."""
    return jnp.linalg.det(square_matrices("det", input))


@exported("linalg.slogdet")
def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant of square matrices and the logarithm of its absolute value, both of the input's dtype."""
    array = square_matrices("slogdet", input)
    sign, logarithm = jnp.linalg.slogdet(array)
    return LogMatrixDeterminant(sign, logarithm.astype(array.dtype))


@exported("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices, a real number; NaN for others."""
    return 2 * jnp.sum(jnp.log(jnp.real(diag_part(cholesky(matrix)))), -1)


@exported("linalg.solve", v1=["matrix_solve", "linalg.solve"])
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves matrix @ x = rhs for x; infinite or NaN if there is no solution.

    Raises InvalidArgumentError unless `rhs` has as many dimensions as `matrix`.
    """
    left, right = operands("linalg.solve", square_matrices("solve", matrix), rhs)
    if right.ndim != left.ndim:
        raise InvalidArgumentError(
            f"tf.linalg.solve takes matrices on both sides, got {list(left.shape)} and {list(right.shape)}. "
            "Use tf.linalg.LinearOperatorFullMatrix(matrix).solvevec, or tf.expand_dims."
        )
    return jnp.linalg.solve(adjoint_of(left) if adjoint else left, right)


@exported("linalg.triangular_solve", v1=["matrix_triangular_solve", "linalg.triangular_solve"])
def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves matrix @ x = rhs for x with triangular matrices, whose other triangle is not read."""
    left, right = operands("linalg.triangular_solve", square_matrices("triangular_solve", matrix), rhs)
    return solve_triangular(left, right, lower=lower, adjoint=adjoint)


def solve_triangular(left: Tensor, right: Tensor, lower: bool, adjoint: bool = False, unit: bool = False) -> Tensor:
    """Solves left @ x = right; leading dimensions broadcast. unit: the diagonal is taken to be of ones."""
    leading = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    return jax.lax.linalg.triangular_solve(
        jnp.broadcast_to(left, (*leading, *left.shape[-2:])),
        jnp.broadcast_to(right, (*leading, *right.shape[-2:])),
        left_side=True,
        lower=lower,
        transpose_a=adjoint,
        conjugate_a=adjoint,
        unit_diagonal=unit,
    )


@exported("linalg.banded_triangular_solve", v1=())
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves matrix @ x = rhs for x with triangular matrices of few diagonals, which are given as the rows of `bands`.

    bands: of shape [..., number, size]: the main diagonal first, the lower ones after it, which end at the end of their
    rows; without `lower`, the upper ones before it, from the highest on, which begin at the beginning of theirs.
    """
    diagonals, right = operands("linalg.banded_triangular_solve", bands, rhs)
    if diagonals.ndim < 2 or not 0 < diagonals.shape[-2] <= diagonals.shape[-1]:
        raise InvalidArgumentError(
            f"tf.linalg.banded_triangular_solve takes from one to `size` diagonals, of shape [..., number, size]; "
            f"got {list(diagonals.shape)}."
        )
    count = diagonals.shape[-2]
    rows = diagonals[..., 0, :] if count == 1 else diagonals
    matrix = diag(rows, k=(1 - count, 0) if lower else (0, count - 1), align="LEFT_RIGHT")
    return solve_triangular(matrix, right, lower=lower, adjoint=adjoint)


# --- With a decomposition that is there already ---------------------------------------------------------------------------


@exported("linalg.cholesky_solve", v1=["cholesky_solve", "linalg.cholesky_solve"])
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Solves a @ x = rhs for x, where `chol` is the lower triangular factor that `cholesky(a)` returns."""
    left, right = operands("linalg.cholesky_solve", square_matrices("cholesky_solve", chol), rhs)
    return solve_triangular(left, solve_triangular(left, right, lower=True), lower=True, adjoint=True)


@exported("linalg.lu_solve")
def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Solves a @ x = rhs for x, where `lower_upper` and `perm` are what `lu(a)` returns."""
    packed, right = operands("linalg.lu_solve", square_matrices("lu_solve", lower_upper), rhs)
    order = _row_order("lu_solve", packed, perm)
    if right.ndim < 2 or right.shape[-2] != packed.shape[-1]:
        raise InvalidArgumentError(
            f"tf.linalg.lu_solve takes right-hand sides of shape [..., {packed.shape[-1]}, columns], got {list(right.shape)}."
        )
    leading = np.broadcast_shapes(packed.shape[:-2], right.shape[:-2])
    right = jnp.broadcast_to(right, (*leading, *right.shape[-2:]))
    exchanged = _exchanged(right, jnp.broadcast_to(order, (*leading, order.shape[-1])))
    return solve_triangular(packed, solve_triangular(packed, exchanged, lower=True, unit=True), lower=False)


@exported("linalg.lu_reconstruct")
def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrices of which `lower_upper` and `perm` are the LU decomposition."""
    packed = square_matrices("lu_reconstruct", lower_upper)
    order = _row_order("lu_reconstruct", packed, perm)
    lower = jnp.tril(packed, -1) + jnp.eye(packed.shape[-1], dtype=packed.dtype)
    return _exchanged(lower @ jnp.triu(packed), jnp.argsort(order, -1))


@exported("linalg.lu_matrix_inverse")
def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverse of the matrices of which `lower_upper` and `perm` are the LU decomposition."""
    packed = square_matrices("lu_matrix_inverse", lower_upper)
    return lu_solve(packed, perm, jnp.broadcast_to(jnp.eye(packed.shape[-1], dtype=packed.dtype), packed.shape))


def _row_order(name: str, packed: Tensor, perm: Any) -> Tensor:
    order = tensor(perm)
    if order.shape != packed.shape[:-1]:
        raise InvalidArgumentError(
            f"tf.linalg.{name}: the order of the rows of {list(packed.shape)} has the shape {list(packed.shape[:-1])}, "
            f"got {list(order.shape)}."
        )
    return order.astype(jnp.int32)


def _exchanged(rows: Tensor, order: Tensor) -> Tensor:
    return jnp.take_along_axis(rows, order[..., None], axis=-2)


# --- Least squares --------------------------------------------------------------------------------------------------------


@exported("linalg.lstsq")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """The x for which matrix @ x is nearest to rhs, or for which x is smallest if there are several.

    l2_regularizer: a weight of the squared size of x beside that of the error. fast: by the Cholesky decomposition of
    matrix^H @ matrix (or matrix @ matrix^H), which must have full rank: otherwise the result is NaN; else by singular values,
    for which `l2_regularizer` is ignored.
    """
    left, right = operands("linalg.lstsq", matrix, rhs)
    if not fast:
        scale = float(jnp.finfo(left.dtype).eps) * max(left.shape[-2:])
        return jnp.linalg.pinv(left, rtol=scale) @ right
    other = adjoint_of(left)
    overdetermined = left.shape[-2] >= left.shape[-1]
    products = other @ left if overdetermined else left @ other
    weight = tensor(l2_regularizer).astype(left.dtype)
    factor = cholesky(products + weight * jnp.eye(products.shape[-1], dtype=left.dtype))
    return cholesky_solve(factor, other @ right) if overdetermined else other @ cholesky_solve(factor, right)


@exported("linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose inverse of real matrices of any rank.

    rcond: singular values up to this part of the largest are taken for 0, one number or one for each matrix; without one,
    10 * max(rows, columns) * epsilon. Raises TypeError for other dtypes than floating point, ValueError for vectors.
    """
    array = tensor(a)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise TypeError(f"tf.linalg.pinv takes floating point, got {array.dtype}. Use tf.cast.")
    part = None if rcond is None else tensor(rcond).astype(array.dtype)
    return jnp.linalg.pinv(_at_least_matrices("pinv", array), rtol=part)


@exported("linalg.matrix_rank")
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The number of singular values greater than `tol`, int32: without one, than the largest * max(rows, columns) * epsilon.

    Integers are taken as float32. Raises ValueError for vectors.
    """
    array = _at_least_matrices("matrix_rank", tensor(a))
    if not jnp.issubdtype(array.dtype, np.inexact):
        array = array.astype(jnp.float32)
    sizes = jnp.linalg.svd(array, compute_uv=False)
    if tol is None:
        scale = float(jnp.finfo(array.dtype).eps) * max(array.shape[-2:])
        limit = scale * jnp.max(sizes, -1, keepdims=True, initial=0)
    else:
        limit = tensor(tol).astype(sizes.dtype)[..., None]
    return jnp.sum(sizes > limit, -1, dtype=jnp.int32)


def _at_least_matrices(name: str, array: Tensor) -> Tensor:
    if array.ndim < 2:
        raise ValueError(f"tf.linalg.{name} takes matrices, got the shape {list(array.shape)}; use tf.expand_dims.")
    return array


accept_symbols(globals())
