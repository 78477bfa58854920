"""Linear operators of matrices with a special meaning: reflections and permutations."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.values import TensorShape
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._dtypes import as_dtype, float32
from stratagem._ops.operators._hints import Hint, always
from stratagem._ops.operators._matrices import kept
from stratagem._ops.operators._operator import LinearOperator


@exported("linalg.LinearOperatorHouseholder")
class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the hyperplane that is orthogonal to `reflection_axis`, a vector that need not be of length 1."""

    def __init__(
        self, reflection_axis: Any, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorHouseholder",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._reflection_axis = kept("reflection_axis", reflection_axis, 1)
        hints = (
            is_non_singular if is_non_singular is None else always(is_non_singular, "A reflection is never singular."),
            always(is_self_adjoint, "A Householder operator is always self adjoint."),
            always(is_positive_definite, "A Householder operator is always non-positive definite.", False),
            always(is_square, "A Householder operator is always square."),
        )
        super().__init__(as_dtype(self._reflection_axis.dtype), None, *hints, name, parameters)

    @property
    def reflection_axis(self) -> Any:
        """The vector: the variable, if it was given as one."""
        return self._reflection_axis

    def _unit(self) -> Tensor:
        axis = tensor(self._reflection_axis)
        return axis / jnp.sqrt(jnp.sum(jnp.abs(axis) ** 2, -1, keepdims=True))

    def _shape(self) -> TensorShape:
        shape = tensor(self._reflection_axis).shape
        return TensorShape((*shape, shape[-1]))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        unit = self._unit()[..., None]
        return x - 2 * unit * jnp.sum(jnp.conj(unit) * x, -2, keepdims=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._matmul(rhs)

    def _diag_part(self) -> Tensor:
        return (1 - 2 * jnp.abs(self._unit()) ** 2).astype(self._numpy_type())

    def _trace(self) -> Tensor:
        return jnp.full(tuple(self.batch_shape), self.domain_dimension - 2, self._numpy_type())

    def _determinant(self) -> Tensor:
        return jnp.full(tuple(self.batch_shape), -1, self._numpy_type())

    def _log_abs_determinant(self) -> Tensor:
        return jnp.zeros(tuple(self.batch_shape), self._numpy_type())

    def _cond(self) -> Tensor:
        return jnp.ones(tuple(self.batch_shape), self._numpy_type())

    def _eigvals(self) -> Tensor:
        ones = jnp.ones(tuple(self.shape[:-1]), self._numpy_type())
        return ones.at[..., 0].set(-1)

    def _inverse(self) -> LinearOperator:
        return self


@exported("linalg.LinearOperatorPermutation")
class LinearOperatorPermutation(LinearOperator):
    """The exchange of entries: number i of the result is number perm[..., i] of the vector."""

    def __init__(
        self, perm: Any, dtype: DTypeLike = float32, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorPermutation",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._perm = tensor(perm)
        if not jnp.issubdtype(self._perm.dtype, np.integer) or self._perm.ndim < 1:
            raise TypeError(f"Argument `perm` must be a vector of integers. Received: {perm!r}.")
        square = always(is_square, "Only square permutation operators supported.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, square)
        super().__init__(dtype, None, *hints, name, parameters)

    @property
    def perm(self) -> Any:
        """The numbers of the entries, in their new order."""
        return self._perm

    def _shape(self) -> TensorShape:
        return TensorShape((*self._perm.shape, self._perm.shape[-1]))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        order = jnp.argsort(self._perm, -1) if adjoint else self._perm
        leading = np.broadcast_shapes(order.shape[:-1], x.shape[:-2])
        order = jnp.broadcast_to(order, (*leading, order.shape[-1]))
        return jnp.take_along_axis(jnp.broadcast_to(x, (*leading, *x.shape[-2:])), order[..., None], axis=-2)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint=not adjoint)

    def _log_abs_determinant(self) -> Tensor:
        return jnp.zeros(tuple(self.batch_shape), self._numpy_type())

    def _cond(self) -> Tensor:
        return jnp.ones(tuple(self.batch_shape), self._numpy_type())
