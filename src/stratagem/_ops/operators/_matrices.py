"""Linear operators that are given by the entries of their matrices: by all, or by a triangle or diagonals."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.values import TensorShape
from stratagem._ops._convert import Tensor, is_tensor, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._ops.linalg import (
    adjoint_of,
    diag_part,
    solve_triangular,
    tridiagonal_matmul,
    tridiagonal_parts,
    tridiagonal_solve,
)
from stratagem._ops.operators._hints import Hint, always
from stratagem._ops.operators._operator import LinearOperator, offer


def kept(name: str, value: Any, min_rank: int) -> Any:
    """Returns what an operator keeps of an argument: a variable itself, which is read at every use, or else a tensor.

    Raises: TypeError for integers, ValueError for too few dimensions.
    """
    array = tensor(value)
    if not jnp.issubdtype(array.dtype, np.inexact):
        raise TypeError(f"Argument `{name}` must have a floating point or complex dtype. Received: {array.dtype}.")
    if array.ndim < min_rank:
        raise ValueError(f"Argument `{name}` must have at least {min_rank} dimensions. Received: {list(array.shape)}.")
    return value if is_tensor(value) else array


@exported("linalg.LinearOperatorFullMatrix")
class LinearOperatorFullMatrix(LinearOperator):
    """An operator given by its matrix, of shape [..., rows, columns]."""

    def __init__(
        self, matrix: Any, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorFullMatrix",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._matrix = kept("matrix", matrix, 2)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(as_dtype(self._matrix.dtype), None, *hints, name, parameters)

    @property
    def matrix(self) -> Any:
        """The matrix: the variable, if it was given as one."""
        return self._matrix

    def _shape(self) -> TensorShape:
        return TensorShape(tensor(self._matrix).shape)

    def _to_dense(self) -> Tensor:
        return tensor(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        matrix = tensor(self._matrix)
        return jnp.matmul(adjoint_of(matrix) if adjoint else matrix, x)


@exported("linalg.LinearOperatorLowerTriangular")
class LinearOperatorLowerTriangular(LinearOperator):
    """An operator given by the lower triangle of a square matrix, whose other entries are not read."""

    def __init__(
        self, tril: Any, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorLowerTriangular",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._tril = kept("tril", tril, 2)
        square = always(is_square, "Only square lower triangular operators supported at this time.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, square)
        super().__init__(as_dtype(self._tril.dtype), None, *hints, name, parameters)

    @property
    def tril(self) -> Any:
        """The matrix with the lower triangle: the variable, if it was given as one."""
        return self._tril

    def _shape(self) -> TensorShape:
        return TensorShape(tensor(self._tril).shape)

    def _to_dense(self) -> Tensor:
        return jnp.tril(tensor(self._tril))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        matrix = self.to_dense()
        return jnp.matmul(adjoint_of(matrix) if adjoint else matrix, x)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return solve_triangular(tensor(self._tril), rhs, lower=True, adjoint=adjoint)

    def _diag_part(self) -> Tensor:
        return diag_part(tensor(self._tril))

    def _determinant(self) -> Tensor:
        return jnp.prod(self.diag_part(), -1)

    def _log_abs_determinant(self) -> Tensor:
        return jnp.sum(jnp.log(jnp.abs(self.diag_part())), -1)

    def _eigvals(self) -> Tensor:
        return self.diag_part()


@exported("linalg.LinearOperatorTridiag")
class LinearOperatorTridiag(LinearOperator):
    """An operator given by three diagonals of a square matrix, in a format of `tf.linalg.tridiagonal_solve`."""

    def __init__(
        self, diagonals: Any, diagonals_format: str = "compact", is_non_singular: Hint = None,
        is_self_adjoint: Hint = None, is_positive_definite: Hint = None, is_square: Hint = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if diagonals_format not in ("compact", "matrix", "sequence"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        self._format = diagonals_format
        if diagonals_format == "sequence":
            self._diagonals: Any = [kept("diagonals", d, 1) for d in diagonals]
        else:
            self._diagonals = kept("diagonals", diagonals, 2)
        first = self._diagonals[0] if diagonals_format == "sequence" else self._diagonals
        square = always(is_square, "Only square tridiagonal operators supported.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, square)
        super().__init__(as_dtype(first.dtype), None, *hints, name, parameters)

    @property
    def diagonals(self) -> Any:
        """The diagonals, as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the diagonals: "compact", "matrix" or "sequence"."""
        return self._format

    def _compact(self, adjoint: bool = False) -> Tensor:
        """Returns [..., 3, size]: the upper, main and lower diagonal; outside of the matrix is 0."""
        upper, main, lower = tridiagonal_parts(self._diagonals, self._format)
        if adjoint:
            upper, main, lower = (
                jnp.conj(jnp.roll(lower, -1, -1)), jnp.conj(main), jnp.conj(jnp.roll(upper, 1, -1))
            )  # fmt: skip
        return jnp.stack([upper, main, lower], -2)

    def _shape(self) -> TensorShape:
        diagonals = self._compact()
        return TensorShape((*diagonals.shape[:-2], diagonals.shape[-1], diagonals.shape[-1]))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return tridiagonal_matmul(self._compact(adjoint), x)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        diagonals = self._compact(adjoint)
        leading = np.broadcast_shapes(diagonals.shape[:-2], rhs.shape[:-2])
        whole = jnp.broadcast_to(diagonals, (*leading, *diagonals.shape[-2:]))
        return tridiagonal_solve(whole, jnp.broadcast_to(rhs, (*leading, *rhs.shape[-2:])))

    def _diag_part(self) -> Tensor:
        return self._compact()[..., 1, :]


@exported("linalg.LinearOperatorToeplitz")
class LinearOperatorToeplitz(LinearOperator):
    """An operator whose square matrix is constant along diagonals, given by its first column and row (without its first entry).

    Products are computed by Fourier transforms, as parts of those of a circulant matrix of twice the size.
    """

    def __init__(
        self, col: Any, row: Any, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorToeplitz",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._col, self._row = kept("col", col, 1), kept("row", row, 1)
        square = always(is_square, "Only square Toeplitz operators currently supported.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, square)
        super().__init__(as_dtype(self._col.dtype), None, *hints, name, parameters)

    @property
    def col(self) -> Any:
        """The first column."""
        return self._col

    @property
    def row(self) -> Any:
        """The first row; its first entry is not read."""
        return self._row

    def _parts(self) -> tuple[Tensor, Tensor]:
        column, row = tensor(self._col), tensor(self._row)
        shape = np.broadcast_shapes(column.shape, row.shape)
        return jnp.broadcast_to(column, shape), jnp.broadcast_to(row, shape)

    def _shape(self) -> TensorShape:
        column, _ = self._parts()
        return TensorShape((*column.shape, column.shape[-1]))

    def _to_dense(self) -> Tensor:
        column, row = self._parts()
        i, j = np.indices((column.shape[-1], column.shape[-1]))
        return jnp.where(i >= j, column[..., np.maximum(i - j, 0)], row[..., np.maximum(j - i, 0)])

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        column, row = self._parts()
        if adjoint:
            first = jnp.conj(column)
            column, row = jnp.concatenate([first[..., :1], jnp.conj(row[..., 1:])], -1), first
        size = column.shape[-1]
        # Around the circle: the column downwards, and the row, which comes from the other side, backwards.
        around = jnp.concatenate([column, jnp.zeros_like(column[..., :1]), jnp.flip(row[..., 1:], -1)], -1)
        padded = jnp.concatenate([x, jnp.zeros_like(x)], -2)
        product = jnp.fft.ifft(jnp.fft.fft(around)[..., None] * jnp.fft.fft(padded, axis=-2), axis=-2)[..., :size, :]
        return product if jnp.iscomplexobj(x) else product.real

    def _diag_part(self) -> Tensor:
        column, _ = self._parts()
        return jnp.broadcast_to(column[..., :1], column.shape)

    def _trace(self) -> Tensor:
        column, _ = self._parts()
        return column[..., 0] * column.shape[-1]


offer("dense", LinearOperatorFullMatrix)
offer("factor", LinearOperatorLowerTriangular)
