"""Linear operators whose matrices consist of the matrices of other ones: in blocks, or as Kronecker products."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.values import TensorShape
from stratagem._ops._convert import Tensor, is_tensor
from stratagem._ops.operators._composed import batch_of, common_dtype
from stratagem._ops.operators._hints import Hint, all_are, always
from stratagem._ops.operators._operator import LinearOperator


class _Blockwise(LinearOperator):
    """An operator that takes vectors and matrices also as a list of their blocks, and then returns a list."""

    def _widths(self) -> list[int]:
        """Returns the numbers of columns of the blocks."""
        raise NotImplementedError

    def _heights(self) -> list[int]:
        """Returns the numbers of rows of the blocks."""
        raise NotImplementedError

    def _sizes(self, of_result: bool, adjoint: bool) -> list[int]:
        return self._heights() if of_result != adjoint else self._widths()

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """Returns the product as `LinearOperator.matmul`; for a list with the blocks of `x`, a list with the result's."""
        whole = self._joined(x, self._sizes(False, adjoint), -1 if adjoint_arg else -2)
        result = super().matmul(x if whole is None else whole, adjoint, adjoint_arg)
        return result if whole is None else _separated(result, self._sizes(True, adjoint), -2)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Returns the product with vectors; for a list with the blocks of `x`, a list with the result's."""
        whole = self._joined(x, self._sizes(False, adjoint), -1)
        result = super().matvec(x if whole is None else whole, adjoint)
        return result if whole is None else _separated(result, self._sizes(True, adjoint), -1)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """Returns the solution as `LinearOperator.solve`; for a list with the blocks of `rhs`, a list with the solution's."""
        whole = self._joined(rhs, self._sizes(True, adjoint), -1 if adjoint_arg else -2)
        result = super().solve(rhs if whole is None else whole, adjoint, adjoint_arg)
        return result if whole is None else _separated(result, self._sizes(False, adjoint), -2)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Returns the solution for vectors; for a list with the blocks of `rhs`, a list with the solution's."""
        whole = self._joined(rhs, self._sizes(True, adjoint), -1)
        result = super().solvevec(rhs if whole is None else whole, adjoint)
        return result if whole is None else _separated(result, self._sizes(False, adjoint), -1)

    def _joined(self, x: Any, sizes: list[int], axis: int) -> Tensor | None:
        """Returns the blocks as one tensor; None if `x` is no list of tensors with these sizes."""
        if not isinstance(x, list | tuple) or len(x) != len(sizes):
            return None
        if not all(is_tensor(block) or isinstance(block, np.ndarray) for block in x):
            return None
        blocks = [self._typed(block) for block in x]
        if [block.shape[axis] for block in blocks] != sizes:
            raise ValueError(f"{self.name} takes blocks of the sizes {sizes}, got {[list(b.shape) for b in blocks]}.")
        return _concatenated(blocks, axis)


def _concatenated(blocks: Sequence[Tensor], axis: int) -> Tensor:
    """Returns blocks whose leading dimensions broadcast as one tensor."""
    own = 2 if axis == -2 else 1 if all(b.ndim == 1 for b in blocks) else min(2, min(b.ndim for b in blocks))
    leading = np.broadcast_shapes(*(b.shape[:-own] for b in blocks))
    return jnp.concatenate([jnp.broadcast_to(b, (*leading, *b.shape[-own:])) for b in blocks], axis)


def _separated(whole: Tensor, sizes: Sequence[int], axis: int) -> list[Tensor]:
    return list(jnp.split(whole, np.cumsum(sizes)[:-1].tolist(), axis=axis))


@exported("linalg.LinearOperatorBlockDiag")
class LinearOperatorBlockDiag(_Blockwise):
    """Operators along the diagonal, with zeros elsewhere."""

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = True, name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = list(operators)
        hints = (
            all_are(is_non_singular, (o.is_non_singular for o in self._operators)),
            all_are(is_self_adjoint, (o.is_self_adjoint for o in self._operators)),
            all_are(is_positive_definite, (o.is_positive_definite for o in self._operators)),
            all_are(is_square, (o.is_square for o in self._operators)),
        )
        name = name or "_ds_".join(o.name for o in self._operators)
        super().__init__(common_dtype(self._operators), None, *hints, name, parameters)

    @property
    def operators(self) -> list[LinearOperator]:
        """The blocks."""
        return self._operators

    def _widths(self) -> list[int]:
        return [operator.domain_dimension for operator in self._operators]

    def _heights(self) -> list[int]:
        return [operator.range_dimension for operator in self._operators]

    def _shape(self) -> TensorShape:
        return TensorShape((*batch_of(self._operators), sum(self._heights()), sum(self._widths())))

    def _all_square(self) -> bool:
        return self._widths() == self._heights()

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        blocks = _separated(x, self._sizes(False, adjoint), -2)
        pairs = zip(self._operators, blocks, strict=True)
        return _concatenated([operator._matmul(block, adjoint=adjoint) for operator, block in pairs], -2)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        if not self._all_square():
            return super()._solve(rhs, adjoint)
        pairs = zip(self._operators, _separated(rhs, self._heights(), -2), strict=True)
        return _concatenated([operator._solve(block, adjoint=adjoint) for operator, block in pairs], -2)

    def _each(self, values: Sequence[Tensor]) -> Tensor:
        """Returns vectors of the blocks one after the other."""
        leading = batch_of(self._operators)
        return jnp.concatenate([jnp.broadcast_to(v, (*leading, v.shape[-1])) for v in values], -1)

    def _diag_part(self) -> Tensor:
        if not self._all_square():
            return super()._diag_part()
        return self._each([operator.diag_part() for operator in self._operators])

    def _determinant(self) -> Tensor:
        if not self._all_square():
            return super()._determinant()
        factors = [operator.determinant() for operator in self._operators]
        return jnp.prod(jnp.stack(jnp.broadcast_arrays(*factors)), 0)

    def _log_abs_determinant(self) -> Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        return sum((operator.log_abs_determinant() for operator in self._operators), jnp.zeros((), self._numpy_type()))

    def _eigvals(self) -> Tensor:
        if not all(operator.is_self_adjoint for operator in self._operators):
            return super()._eigvals()
        return self._each([operator.eigvals() for operator in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([operator.adjoint() for operator in self._operators], *self._hints)

    def _inverse(self) -> LinearOperator:
        if not self._all_square():
            return super()._inverse()
        return LinearOperatorBlockDiag([operator.inverse() for operator in self._operators], *self._hints)

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([operator.cholesky() for operator in self._operators], is_non_singular=True)


@exported("linalg.LinearOperatorBlockLowerTriangular")
class LinearOperatorBlockLowerTriangular(_Blockwise):
    """Operators in rows, of which row i has i + 1: those on the diagonal are square, above it are zeros."""

    def __init__(
        self, operators: Sequence[Sequence[LinearOperator]], is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = [list(row) for row in operators]
        self._check_blocks()
        diagonal = [row[-1] for row in self._operators]
        dtype = common_dtype([operator for row in self._operators for operator in row])
        non_singular = all_are(is_non_singular, (o.is_non_singular for o in diagonal))
        square = always(is_square, "A `LinearOperatorBlockLowerTriangular` must be square.")
        super().__init__(dtype, None, non_singular, is_self_adjoint, is_positive_definite, square, name, parameters)

    def _check_blocks(self) -> None:
        for i, row in enumerate(self._operators):
            if len(row) != i + 1:
                raise ValueError(
                    f"Argument `operators[{i}]` must contain `{i + 1}` blocks. Received: {len(row)} blocks."
                )
            for j, operator in enumerate(row):
                wanted = (row[-1].range_dimension, self._operators[j][-1].domain_dimension)
                if (operator.range_dimension, operator.domain_dimension) != wanted or not row[-1].is_square:
                    raise ValueError(
                        f"Argument `operators[{i}][{j}]` must have the shape {list(wanted)}, and those on the diagonal must be "
                        f"square. Received: {operator.shape}."
                    )

    @property
    def operators(self) -> list[list[LinearOperator]]:
        """The rows of blocks."""
        return self._operators

    def _heights(self) -> list[int]:
        return [row[-1].range_dimension for row in self._operators]

    def _widths(self) -> list[int]:
        return self._heights()

    def _shape(self) -> TensorShape:
        total = sum(self._heights())
        return TensorShape((*batch_of([o for row in self._operators for o in row]), total, total))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        blocks, count = _separated(x, self._heights(), -2), len(self._operators)
        results = []
        for i in range(count):
            places = [(j, i) for j in range(i, count)] if adjoint else [(i, j) for j in range(i + 1)]
            parts = [
                self._operators[row][column]._matmul(blocks[row if adjoint else column], adjoint=adjoint)
                for row, column in places
            ]
            results.append(sum(parts[1:], parts[0]))
        return _concatenated(results, -2)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        blocks, count = _separated(rhs, self._heights(), -2), len(self._operators)
        solved: dict[int, Tensor] = {}
        for i in reversed(range(count)) if adjoint else range(count):
            rest = blocks[i]
            for j, known in solved.items():
                operator = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - operator._matmul(known, adjoint=adjoint)
            solved[i] = self._operators[i][i]._solve(rest, adjoint=adjoint)
        return _concatenated([solved[i] for i in range(count)], -2)

    def _determinant(self) -> Tensor:
        factors = [row[-1].determinant() for row in self._operators]
        return jnp.prod(jnp.stack(jnp.broadcast_arrays(*factors)), 0)

    def _log_abs_determinant(self) -> Tensor:
        return sum((row[-1].log_abs_determinant() for row in self._operators), jnp.zeros((), self._numpy_type()))


@exported("linalg.LinearOperatorKronecker")
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators: each is applied along its own dimension of a vector that is written as a tensor."""

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None,
    ) -> None:  # fmt: skip
        parameters = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        self._operators = list(operators)
        hints = (
            all_are(is_non_singular, (o.is_non_singular for o in self._operators)),
            all_are(is_self_adjoint, (o.is_self_adjoint for o in self._operators)),
            all_are(is_positive_definite, (o.is_positive_definite for o in self._operators)),
            all_are(is_square, (o.is_square for o in self._operators)),
        )
        name = name or "_x_".join(o.name for o in self._operators)
        super().__init__(common_dtype(self._operators), None, *hints, name, parameters)

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _shape(self) -> TensorShape:
        rows = int(np.prod([o.range_dimension for o in self._operators]))
        columns = int(np.prod([o.domain_dimension for o in self._operators]))
        return TensorShape((*batch_of(self._operators), rows, columns))

    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        sizes = [o.range_dimension if adjoint else o.domain_dimension for o in self._operators]
        return self._along_each(x, sizes, adjoint, solving=False)

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        if not self._all_square():
            return super()._solve(rhs, adjoint)
        return self._along_each(rhs, [o.range_dimension for o in self._operators], adjoint, solving=True)

    def _along_each(self, x: Tensor, sizes: list[int], adjoint: bool, solving: bool) -> Tensor:
        columns, count = x.shape[-1], len(sizes)
        whole = x.reshape(*x.shape[:-2], *sizes, columns)
        for i, operator in enumerate(self._operators):
            # The operator's dimension before all others of the matrix: [..., size, rest].
            front = jnp.moveaxis(whole, i - count - 1, -count - 1)
            others = front.shape[-count:]
            flat = front.reshape(*front.shape[:-count], int(np.prod(others)))
            flat = operator._solve(flat, adjoint=adjoint) if solving else operator._matmul(flat, adjoint=adjoint)
            whole = jnp.moveaxis(flat.reshape(*flat.shape[:-1], *others), -count - 1, i - count - 1)
        rows = int(np.prod(whole.shape[-count - 1 : -1]))
        return whole.reshape(*whole.shape[: -count - 1], rows, columns)

    def _products(self, values: Sequence[Tensor]) -> Tensor:
        """Returns all products of an entry of each vector, those of the first one slowest."""
        total = values[0]
        for value in values[1:]:
            pairs = total[..., :, None] * value[..., None, :]
            total = pairs.reshape(*pairs.shape[:-2], pairs.shape[-2] * pairs.shape[-1])
        return total

    def _diag_part(self) -> Tensor:
        if not self._all_square():
            return super()._diag_part()
        return self._products([operator.diag_part() for operator in self._operators])

    def _eigvals(self) -> Tensor:
        if not all(operator.is_self_adjoint for operator in self._operators):
            return super()._eigvals()
        return self._products([operator.eigvals() for operator in self._operators])

    def _determinant(self) -> Tensor:
        if not self._all_square():
            return super()._determinant()
        total, size = jnp.ones((), self._numpy_type()), self.domain_dimension
        for operator in self._operators:
            total = total * operator.determinant() ** (size // operator.domain_dimension)
        return total

    def _log_abs_determinant(self) -> Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        total, size = jnp.zeros((), self._numpy_type()), self.domain_dimension
        for operator in self._operators:
            total = total + operator.log_abs_determinant() * (size // operator.domain_dimension)
        return total

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([operator.adjoint() for operator in self._operators], *self._hints)

    def _inverse(self) -> LinearOperator:
        if not self._all_square():
            return super()._inverse()
        return LinearOperatorKronecker([operator.inverse() for operator in self._operators], *self._hints)

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([operator.cholesky() for operator in self._operators], is_non_singular=True)
