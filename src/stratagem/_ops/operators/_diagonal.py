"""Linear operators whose matrices are diagonal, or nothing but 0."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import TensorShape
from stratagem._ops._convert import Tensor, static_int, static_shape, tensor
from stratagem._ops._debugging import assert_positive
from stratagem._ops._dtypes import as_dtype, float32
from stratagem._ops.linalg import diag, set_diag
from stratagem._ops.linalg import diag_part as diagonal_of
from stratagem._ops.operators._hints import Hint, Hints, always, real_is_self_adjoint
from stratagem._ops.operators._matrices import kept
from stratagem._ops.operators._operator import LinearOperator

_REAL = "A real diagonal operator is always self adjoint."


@exported("linalg.LinearOperatorDiag")
class LinearOperatorDiag(LinearOperator):
    """An operator given by the diagonal of a square matrix, of shape [..., size]."""

    def __init__(
        self, diag: Any, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorDiag",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._diag = kept("diag", diag, 1)
        dtype = as_dtype(self._diag.dtype)
        self_adjoint = real_is_self_adjoint(is_self_adjoint, dtype.is_complex, _REAL)
        square = always(is_square, "Only square diagonal operators supported at this time.")
        super().__init__(dtype, None, is_non_singular, self_adjoint, is_positive_definite, square, name, parameters)

    @property
    def diag(self) -> Any:
        """The diagonal: the variable, if it was given as one."""
        return self._diag

    def _entries(self, adjoint: bool = False) -> Tensor:
        entries = tensor(self._diag)
        return jnp.conj(entries) if adjoint else entries

    def _shape(self) -> TensorShape:
        shape = tensor(self._diag).shape
        return TensorShape((*shape, shape[-1]))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._entries(adjoint)[..., None] * x

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._entries(adjoint) * x

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return rhs / self._entries(adjoint)[..., None]

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return rhs / self._entries(adjoint)

    def _to_dense(self) -> Tensor:
        return diag(self._entries())

    def _diag_part(self) -> Tensor:
        return self._entries()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return _with_diagonal_added(x, self._entries())

    def _determinant(self) -> Tensor:
        return jnp.prod(self._entries(), -1)

    def _log_abs_determinant(self) -> Tensor:
        return jnp.sum(jnp.log(jnp.abs(self._entries())), -1).astype(self._numpy_type())

    def _eigvals(self) -> Tensor:
        return self._entries()

    def _cond(self) -> Tensor:
        sizes = jnp.abs(self._entries())
        return jnp.max(sizes, -1) / jnp.min(sizes, -1)

    def _assert_positive_definite(self) -> None:
        assert_positive(jnp.real(self._entries()), message="The diagonal has an entry that is not positive.")

    def _like_this(self, entries: Tensor, hints: Hints | None = None) -> LinearOperator:
        return LinearOperatorDiag(entries, *(hints or self._hints))

    def _adjoint(self) -> LinearOperator:
        return self._like_this(self._entries(adjoint=True))

    def _inverse(self) -> LinearOperator:
        return self._like_this(1 / self._entries())

    def _cholesky(self) -> LinearOperator:
        return self._like_this(jnp.sqrt(self._entries()))

    def _times(self, other: LinearOperator) -> LinearOperator:
        if not isinstance(other, LinearOperatorDiag):
            return super()._times(other)
        non_singular = True if self.is_non_singular and other.is_non_singular else None
        return LinearOperatorDiag(self._entries() * other._entries(), is_non_singular=non_singular)


@exported("linalg.LinearOperatorScaledIdentity")
class LinearOperatorScaledIdentity(LinearOperator):
    """A number times the identity: the number is `multiplier`, whose shape is the batch's."""

    def __init__(
        self, num_rows: Any, multiplier: Any, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = True, assert_proper_shapes: object = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._num_rows = _size("num_rows", num_rows)
        self._multiplier = kept("multiplier", multiplier, 0)
        dtype = as_dtype(self._multiplier.dtype)
        self_adjoint = real_is_self_adjoint(is_self_adjoint, dtype.is_complex, _REAL)
        square = always(is_square, "A ScaledIdentity operator is always square.")
        super().__init__(dtype, None, is_non_singular, self_adjoint, is_positive_definite, square, name, parameters)

    @property
    def multiplier(self) -> Any:
        """The number: the variable, if it was given as one."""
        return self._multiplier

    def _factor(self, adjoint: bool = False) -> Tensor:
        factor = tensor(self._multiplier)
        return jnp.conj(factor) if adjoint else factor

    def _shape(self) -> TensorShape:
        return TensorShape((*self._factor().shape, self._num_rows, self._num_rows))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._factor(adjoint)[..., None, None] * x

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return rhs / self._factor(adjoint)[..., None, None]

    def _diag_part(self) -> Tensor:
        factor = self._factor()[..., None]
        return jnp.broadcast_to(factor, (*factor.shape[:-1], self._num_rows))

    def _to_dense(self) -> Tensor:
        return diag(self.diag_part())

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return _with_diagonal_added(x, self.diag_part())

    def _trace(self) -> Tensor:
        return self._factor() * self._num_rows

    def _determinant(self) -> Tensor:
        return self._factor() ** self._num_rows

    def _log_abs_determinant(self) -> Tensor:
        return self._num_rows * jnp.log(jnp.abs(self._factor()))

    def _eigvals(self) -> Tensor:
        return self.diag_part()

    def _cond(self) -> Tensor:
        factor = self._factor()
        return jnp.where(factor == 0, jnp.nan, jnp.ones_like(factor))

    def _assert_positive_definite(self) -> None:
        assert_positive(jnp.real(self._factor()), message="The multiplier is not positive.")

    def _like_this(self, factor: Tensor) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, factor, *self._hints)

    def _adjoint(self) -> LinearOperator:
        return self._like_this(self._factor(adjoint=True))

    def _inverse(self) -> LinearOperator:
        return self._like_this(1 / self._factor())

    def _cholesky(self) -> LinearOperator:
        return self._like_this(jnp.sqrt(self._factor()))

    def _times(self, other: LinearOperator) -> LinearOperator:
        if not isinstance(other, LinearOperatorScaledIdentity):
            return super()._times(other)
        non_singular = True if self.is_non_singular and other.is_non_singular else None
        return LinearOperatorScaledIdentity(self._num_rows, self._factor() * other._factor(), non_singular)


@exported("linalg.LinearOperatorIdentity")
class LinearOperatorIdentity(LinearOperatorScaledIdentity):
    """The identity on vectors of `num_rows` entries, in a batch of this shape."""

    _is_neutral = True

    def __init__(
        self, num_rows: Any, batch_shape: ShapeLike | None = None, dtype: DTypeLike | None = None, is_non_singular: Hint = True,
        is_self_adjoint: Hint = True, is_positive_definite: Hint = True, is_square: Hint = True,
        assert_proper_shapes: object = False, name: str = "LinearOperatorIdentity",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        always(is_self_adjoint, "An identity operator is always self adjoint.")
        always(is_non_singular, "An identity operator is always non-singular.")
        always(is_positive_definite, "An identity operator is always positive-definite.")
        always(is_square, "An identity operator is always square.")
        leading = () if batch_shape is None else static_shape(batch_shape)
        self._is_neutral = leading == ()
        one = jnp.ones(leading, as_dtype(float32 if dtype is None else dtype).dtype)
        super().__init__(num_rows, one, True, True, True, True, name=name)
        self._parameters = parameters

    def _log_abs_determinant(self) -> Tensor:
        return jnp.zeros_like(self._factor())

    def _adjoint(self) -> LinearOperator:
        return self

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self


@exported("linalg.LinearOperatorZeros")
class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros, in a batch of this shape; it may have more or fewer columns than rows."""

    def __init__(
        self, num_rows: Any, num_columns: Any = None, batch_shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
        is_non_singular: Hint = False, is_self_adjoint: Hint = True, is_positive_definite: Hint = False,
        is_square: Hint = True, assert_proper_shapes: object = False, name: str = "LinearOperatorZeros",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        always(is_non_singular, "A zero operator is always singular.", False)
        always(is_positive_definite, "A zero operator is always non-positive definite.", False)
        rows = _size("num_rows", num_rows)
        columns = rows if num_columns is None else _size("num_columns", num_columns)
        if is_square and rows != columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({rows}) != num_columns({columns}). "
                "Give is_square=False and is_self_adjoint=False."
            )
        self._sizes = (*(() if batch_shape is None else static_shape(batch_shape)), rows, columns)
        hints = (False, is_self_adjoint, False, is_square)
        super().__init__(float32 if dtype is None else dtype, None, *hints, name, parameters)

    def _shape(self) -> TensorShape:
        return TensorShape(self._sizes)

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        leading = np.broadcast_shapes(self._sizes[:-2], x.shape[:-2])
        return jnp.zeros((*leading, self._sizes[-1 if adjoint else -2], x.shape[-1]), x.dtype)

    def _to_dense(self) -> Tensor:
        return jnp.zeros(self._sizes, self._numpy_type())

    def _determinant(self) -> Tensor:
        return jnp.zeros(self._sizes[:-2], self._numpy_type())

    def _log_abs_determinant(self) -> Tensor:
        return jnp.full(self._sizes[:-2], -jnp.inf, self._numpy_type())

    def _eigvals(self) -> Tensor:
        return jnp.zeros(self._sizes[:-1], self._numpy_type())

    def _adjoint(self) -> LinearOperator:
        *leading, rows, columns = self._sizes
        return LinearOperatorZeros(
            columns, rows, leading, self.dtype, is_self_adjoint=self.is_self_adjoint, is_square=self.is_square
        )


def _size(name: str, value: Any) -> int:
    size = static_int(value, "a tensor is the size of a linear operator")
    if size < 0:
        raise ValueError(f"Argument `{name}` must be non-negative. Received: {size}.")
    return size


def _with_diagonal_added(x: Tensor, diagonal: Tensor) -> Tensor:
    leading = np.broadcast_shapes(x.shape[:-2], diagonal.shape[:-1])
    whole = jnp.broadcast_to(x, (*leading, *x.shape[-2:]))
    return set_diag(whole, diagonal_of(whole) + diagonal)
