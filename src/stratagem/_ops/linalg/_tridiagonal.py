"""Tridiagonal matrices: products, linear equations, eigenvalues."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, is_traced, need_value, operands, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.linalg._decompositions import eigh
from stratagem._ops.linalg._diagonals import diag, diag_part
from stratagem._ops.linalg._products import adjoint_of


@exported("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", transpose_rhs: bool = False,
    conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True, perturb_singular: bool = False,
) -> Tensor:  # fmt: skip
    """Solves matrix @ x = rhs for x with tridiagonal matrices; rhs is of shape [..., size] or [..., size, columns].

    diagonals_format: "compact", [..., 3, size] with the upper diagonal (whose last entry is not read), the main one and the
    lower one (whose first entry is not read); "sequence", a list of them, of which the outer ones may be one shorter;
    "matrix", [..., size, size]. perturb_singular: too small pivots are changed. Rows are always exchanged where that is more
    accurate. Raises ValueError for another format, InvalidArgumentError for shapes that do not fit.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("tf.linalg.tridiagonal_solve: perturb_singular=True needs partial_pivoting=True.")
    (upper, main, lower), right = _diagonals("tridiagonal_solve", diagonals, rhs, diagonals_format)
    as_vector = right.ndim == main.ndim
    if as_vector:
        right = (jnp.conj(right) if conjugate_rhs else right)[..., None]
    elif transpose_rhs:
        right = adjoint_of(right) if conjugate_rhs else jnp.swapaxes(right, -1, -2)
    elif conjugate_rhs:
        right = jnp.conj(right)
    if right.shape[:-1] != main.shape:
        raise InvalidArgumentError(
            f"tf.linalg.tridiagonal_solve: a matrix with the diagonal {list(main.shape)} does not fit to the right-hand "
            f"side {list(right.shape)}."
        )
    solution = jax.lax.linalg.tridiagonal_solve(lower, main, upper, right, perturb_singular=perturb_singular)
    return solution[..., 0] if as_vector else solution


@exported("linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """The product of tridiagonal matrices and matrices of shape [..., size, columns].

    diagonals_format: as for `tridiagonal_solve`, but all diagonals of a "sequence" are of the full size.
    """
    (upper, main, lower), right = _diagonals("tridiagonal_matmul", diagonals, rhs, diagonals_format)
    if right.ndim < 2 or right.shape[-2] != main.shape[-1]:
        raise InvalidArgumentError(
            f"tf.linalg.tridiagonal_matmul: a matrix with the diagonal {list(main.shape)} cannot be multiplied by a tensor "
            f"of shape {list(right.shape)}."
        )
    zero = jnp.zeros_like(right[..., :1, :])
    below = jnp.concatenate([right[..., 1:, :], zero], -2)
    above = jnp.concatenate([zero, right[..., :-1, :]], -2)
    return upper[..., None] * below + main[..., None] * right + lower[..., None] * above


def _diagonals(name: str, diagonals: Any, rhs: Any, form: str) -> tuple[list[Tensor], Tensor]:
    """The upper, main and lower diagonals, and the right-hand side."""
    if form == "sequence":
        *three, right = operands(f"linalg.{name}", *diagonals, rhs)
        return tridiagonal_parts(three, form), right
    whole, right = operands(f"linalg.{name}", diagonals, rhs)
    return tridiagonal_parts(whole, form), right


def tridiagonal_parts(diagonals: Any, form: str) -> list[Tensor]:
    """The upper, main and lower diagonals, all of the full size with 0 outside of the matrix.

    Raises ValueError for an unknown format, InvalidArgumentError for shapes that do not fit.
    """
    if form == "sequence":
        three = [tensor(diagonal) for diagonal in diagonals]
    elif form == "compact":
        whole = tensor(diagonals)
        three = [whole[..., i, :] for i in range(3)] if whole.shape[-2:-1] == (3,) else []
    elif form == "matrix":
        whole = tensor(diagonals)
        is_square = whole.ndim >= 2 and whole.shape[-1] == whole.shape[-2]
        three = [_side(whole, k) for k in (1, 0, -1)] if is_square else []
    else:
        raise ValueError(f"diagonals_format is 'compact', 'sequence' or 'matrix', got {form!r}.")
    sizes = [diagonal.shape[-1] for diagonal in three]
    if len(three) != 3 or any(size not in (sizes[1], sizes[1] - 1) for size in sizes):
        raise InvalidArgumentError(
            f"Three diagonals of one size, or the outer ones one shorter, make a tridiagonal matrix; as {form!r} there are the "
            f"shapes {[list(d.shape) for d in three] or list(np.shape(diagonals))}."
        )
    upper, main, lower = three
    zero = jnp.zeros_like(main[..., :1])
    upper = jnp.concatenate([upper[..., : sizes[1] - 1], zero], -1)
    lower = jnp.concatenate([zero, lower[..., sizes[2] - sizes[1] + 1 :]], -1)
    return [upper, main, lower]


def _side(matrix: Tensor, k: int) -> Tensor:
    """One of the three diagonals; a matrix of one row has no others than the main one."""
    return diag_part(matrix, k=k) if abs(k) < matrix.shape[-1] else matrix[..., 0, :0]


@exported("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any, beta: Any, eigvals_only: bool = True, select: str = "a",
    select_range: Any = None, tol: object = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The eigenvalues of a self-adjoint tridiagonal matrix, in ascending order; with the eigenvectors unless `eigvals_only`.

    alpha, beta: the main diagonal, of which the real part counts, and the one above it, one shorter. select: "a" for all, "i"
    for those whose numbers are from the first to the last of `select_range`, "v" for those greater than its first and at
    most its second value; how many these are must be known, so not in a compiled step.

    Raises: ValueError for another `select`.
    """
    main, upper = operands("linalg.eigh_tridiagonal", alpha, beta)
    if select not in ("a", "i", "v"):
        raise ValueError(f"tf.linalg.eigh_tridiagonal: select is 'a', 'i' or 'v', got {select!r}.")
    if main.shape[-1] != upper.shape[-1] + 1:
        raise ValueError(
            f"tf.linalg.eigh_tridiagonal: beta has one entry fewer than alpha, got {list(main.shape)} and "
            f"{list(upper.shape)}."
        )
    matrix = diag(jnp.real(main).astype(main.dtype))
    if upper.shape[-1]:
        matrix = matrix + diag(jnp.conj(upper), k=-1)
    values, vectors = eigh(matrix)
    values = jnp.real(values)
    if select != "a":
        chosen = _chosen(values, select, select_range)
        values, vectors = values[chosen], vectors[:, chosen]
    return values if eigvals_only else (values, vectors)


def _chosen(values: Tensor, select: str, select_range: Any) -> np.ndarray:
    if select_range is None:
        raise ValueError(f"tf.linalg.eigh_tridiagonal: select={select!r} needs select_range, a pair of numbers.")
    if is_traced(values) or is_traced(select_range):
        need_value("tf.linalg.eigh_tridiagonal selects eigenvalues by it")
    first, last = (np.asarray(tensor(limit)) for limit in select_range)
    if select == "i":
        return np.arange(int(first), int(last) + 1)
    found = np.asarray(values)
    return np.nonzero((found > first) & (found <= last))[0]


accept_symbols(globals())
