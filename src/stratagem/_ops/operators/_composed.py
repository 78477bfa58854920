"""Linear operators that are composed of other ones: adjoints, inverses, products, sums with a matrix of low rank."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.values import TensorShape
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._dtypes import DType
from stratagem._ops.linalg import adjoint_of
from stratagem._ops.operators._diagonal import LinearOperatorDiag, LinearOperatorIdentity
from stratagem._ops.operators._hints import Hint, all_are, inherited
from stratagem._ops.operators._matrices import kept
from stratagem._ops.operators._operator import LinearOperator, offer


@exported("linalg.LinearOperatorAdjoint")
class LinearOperatorAdjoint(LinearOperator):
    """The adjoint of an operator, which computes everything."""

    def __init__(
        self, operator: LinearOperator, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operator = operator
        hints = inherited((is_non_singular, is_self_adjoint, is_positive_definite, is_square), operator._hints)
        super().__init__(operator.dtype, None, *hints, name or f"{operator.name}_adjoint", parameters)

    @property
    def operator(self) -> LinearOperator:
        """The operator whose adjoint this is."""
        return self._operator

    def _shape(self) -> TensorShape:
        *leading, rows, columns = self._operator.shape
        return TensorShape((*leading, columns, rows))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._matmul(x, adjoint=not adjoint)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._solve(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Tensor:
        return adjoint_of(self._operator.to_dense())

    def _diag_part(self) -> Tensor:
        return jnp.conj(self._operator.diag_part())

    def _trace(self) -> Tensor:
        return jnp.conj(self._operator.trace())

    def _determinant(self) -> Tensor:
        return jnp.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _cond(self) -> Tensor:
        return self._operator.cond()

    def _eigvals(self) -> Tensor:
        return jnp.conj(self._operator.eigvals())

    def _adjoint(self) -> LinearOperator:
        return self._operator


@exported("linalg.LinearOperatorInversion")
class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator, which solves instead of multiplying."""

    def __init__(
        self, operator: LinearOperator, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError("An inverse is only there of an operator that is non-singular, and is so itself.")
        self._operator = operator
        hints = inherited((is_non_singular, is_self_adjoint, is_positive_definite, is_square), operator._hints)
        super().__init__(operator.dtype, None, *hints, name or f"{operator.name}_inverse", parameters)

    @property
    def operator(self) -> LinearOperator:
        """The operator whose inverse this is."""
        return self._operator

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._solve(x, adjoint=adjoint)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._solvevec(x, adjoint=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._matmul(rhs, adjoint=adjoint)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator._matvec(rhs, adjoint=adjoint)

    def _determinant(self) -> Tensor:
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -self._operator.log_abs_determinant()

    def _cond(self) -> Tensor:
        return self._operator.cond()

    def _eigvals(self) -> Tensor:
        return 1 / self._operator.eigvals()

    def _inverse(self) -> LinearOperator:
        return self._operator


def common_dtype(operators: Sequence[LinearOperator]) -> DType:
    """Returns the dtype of operators. Raises ValueError for none, TypeError for operators of several dtypes."""
    if not operators:
        raise ValueError(f"Argument `operators` must be a list of >=1 operators. Received: {list(operators)}.")
    found = {operator.dtype.name for operator in operators}
    if len(found) > 1:
        raise TypeError(f"Expected all operators to have the same dtype, found {', '.join(sorted(found))}.")
    return operators[0].dtype


def batch_of(operators: Sequence[LinearOperator]) -> tuple[int, ...]:
    """Returns the shape to which the batches of operators broadcast."""
    return np.broadcast_shapes(*(tuple(operator.batch_shape) for operator in operators))


@exported("linalg.LinearOperatorComposition")
class LinearOperatorComposition(LinearOperator):
    """The product of operators: the last one is applied first."""

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = list(operators)
        dtype = common_dtype(self._operators)
        for left, right in zip(self._operators, self._operators[1:], strict=False):
            if left.domain_dimension != right.range_dimension:
                raise ValueError(
                    f"Dimensions {left.domain_dimension} and {right.range_dimension} are not compatible: {left.name} "
                    f"cannot be applied to what {right.name} returns."
                )
        non_singular = all_are(is_non_singular, (o.is_non_singular for o in self._operators))
        name = name or "_o_".join(o.name for o in self._operators)
        super().__init__(dtype, None, non_singular, is_self_adjoint, is_positive_definite, is_square, name, parameters)

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _shape(self) -> TensorShape:
        rows, columns = self._operators[0].range_dimension, self._operators[-1].domain_dimension
        return TensorShape((*batch_of(self._operators), rows, columns))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        for operator in self._operators if adjoint else reversed(self._operators):
            x = operator._matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        if not self._all_square():
            return super()._solve(rhs, adjoint)
        for operator in reversed(self._operators) if adjoint else self._operators:
            rhs = operator._solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self) -> Tensor:
        if not self._all_square():
            return super()._determinant()
        factors = [operator.determinant() for operator in self._operators]
        return jnp.prod(jnp.stack(jnp.broadcast_arrays(*factors)), 0)

    def _log_abs_determinant(self) -> Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        return sum((operator.log_abs_determinant() for operator in self._operators), jnp.zeros((), self._numpy_type()))


@exported("linalg.LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus U @ D @ V^H: U and V of shape [..., size, rank], D diagonal, by default the identity; V by default U.

    Equations are solved by Woodbury's formula, with the base operator and as many equations as the rank.
    """

    def __init__(
        self, base_operator: LinearOperator, u: Any, diag_update: Any = None, v: Any = None,
        is_diag_update_positive: Hint = None, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorLowRankUpdate",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._base_operator = base_operator
        self._u = kept("u", u, 2)
        self._v = self._u if v is None else kept("v", v, 2)
        self._diag_update = None if diag_update is None else kept("diag_update", diag_update, 1)
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Without diag_update the diagonal is the identity, which is positive, but is_diag_update_positive is False."
                )
            is_diag_update_positive = True
        self._positive_update = is_diag_update_positive
        if v is None and is_diag_update_positive:
            is_self_adjoint = all_are(is_self_adjoint, [base_operator.is_self_adjoint])
            definite = [base_operator.is_self_adjoint, base_operator.is_positive_definite]
            is_positive_definite = all_are(is_positive_definite, definite)
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(base_operator.dtype, None, *hints, name, parameters)

    @property
    def base_operator(self) -> LinearOperator:
        """The operator to which the rest is added."""
        return self._base_operator

    @property
    def u(self) -> Any:
        """U, of shape [..., rows, rank]."""
        return self._u

    @property
    def v(self) -> Any:
        """V, of shape [..., columns, rank]."""
        return self._v

    @property
    def diag_update(self) -> Any:
        """The diagonal of D, or None for the identity."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """D as an operator."""
        if self._diag_update is None:
            return LinearOperatorIdentity(tensor(self._u).shape[-1], dtype=self.dtype)
        return LinearOperatorDiag(self._diag_update, is_positive_definite=self._positive_update)

    @property
    def is_diag_update_positive(self) -> Hint:
        """Returns whether D has positive entries only, None for unknown."""
        return self._positive_update

    def _sides(self, adjoint: bool = False) -> tuple[Tensor, Tensor]:
        u, v = tensor(self._u), tensor(self._v)
        return (v, u) if adjoint else (u, v)

    def _shape(self) -> TensorShape:
        u, v = self._sides()
        leading = np.broadcast_shapes(
            tuple(self._base_operator.batch_shape), tuple(self.diag_operator.batch_shape), u.shape[:-2], v.shape[:-2]
        )
        return TensorShape((*leading, *self._base_operator.shape[-2:]))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        u, v = self._sides(adjoint)
        inside = self.diag_operator._matmul(jnp.matmul(adjoint_of(v), x), adjoint=adjoint)
        return self._base_operator._matmul(x, adjoint=adjoint) + jnp.matmul(u, inside)

    def _capacitance(self, adjoint: bool = False) -> tuple[Tensor, Tensor]:
        """Returns D^-1 + V^H @ base^-1 @ U, and base^-1 @ U."""
        u, v = self._sides(adjoint)
        leading = np.broadcast_shapes(tuple(self.batch_shape), u.shape[:-2])
        solved = self._base_operator._solve(jnp.broadcast_to(u, (*leading, *u.shape[-2:])), adjoint=adjoint)
        middle = self.diag_operator.inverse().to_dense()
        middle = adjoint_of(middle) if adjoint else middle
        return middle + jnp.matmul(adjoint_of(v), solved), solved

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        _, v = self._sides(adjoint)
        middle, solved = self._capacitance(adjoint)
        first = self._base_operator._solve(rhs, adjoint=adjoint)
        return first - jnp.matmul(solved, jnp.linalg.solve(middle, jnp.matmul(adjoint_of(v), first)))

    def _determinant(self) -> Tensor:
        middle, _ = self._capacitance()
        return jnp.linalg.det(middle) * self.diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        middle, _ = self._capacitance()
        own = jnp.linalg.slogdet(middle)[1].astype(self._numpy_type())
        return own + self.diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()


offer("adjoint", LinearOperatorAdjoint)
offer("inverse", LinearOperatorInversion)
offer("product", LinearOperatorComposition)
