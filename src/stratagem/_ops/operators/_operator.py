"""The base class of linear operators: every question has an answer from the dense matrix, and subclasses know better ones."""

import abc
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import Module, TensorShape
from stratagem._ops._arrays import shape as shape_of
from stratagem._ops._convert import Tensor, is_tensor, tensor
from stratagem._ops._debugging import assert_equal, assert_less, assert_positive
from stratagem._ops._dtypes import DType, as_dtype
from stratagem._ops._elementwise import add
from stratagem._ops.linalg import adjoint_of, cholesky, cholesky_solve, diag_part, eigvalsh
from stratagem._ops.operators._hints import Hint, Hints

# Classes for what operators return: filled by the modules that define them, which are above this one.
_KINDS: dict[str, Callable[..., "LinearOperator"]] = {}


def offer(role: str, kind: Callable[..., "LinearOperator"]) -> None:
    """Lets operators return objects of this class as their "adjoint", "inverse", "product", "factor" (of Cholesky), "dense"."""
    _KINDS[role] = kind


@exported("linalg.LinearOperator")
class LinearOperator(Module, abc.ABC):
    """A matrix, or a batch of them, of shape [..., rows, columns], known by what it does to vectors.

    Subclasses define `_shape` and `_matmul`; `_solve`, `_to_dense`, `_determinant` and others where they know better than the
    dense matrix. Hints (`is_...`) are True, False or None, for unknown. They choose algorithms; nobody checks them.
    """

    # Whether a product with this operator is the other factor.
    _is_neutral = False

    def __init__(
        self, dtype: DTypeLike, graph_parents: object = None, is_non_singular: Hint = None, is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None, is_square: Hint = None, name: str | None = None, parameters: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name or type(self).__name__)
        self._dtype = as_dtype(dtype)
        self._hints = Hints.of(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._parameters = dict(parameters or {})

    # --- What subclasses define ---

    @abc.abstractmethod
    def _shape(self) -> ShapeLike:
        """Returns the shape, [..., rows, columns]."""

    @abc.abstractmethod
    def _matmul(self, x: Tensor, adjoint: bool = False) -> Tensor:
        """Returns the product of this operator, or of its adjoint, and matrices of its dtype."""

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._matmul(x[..., None], adjoint=adjoint)[..., 0]

    def _solve(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        matrix = self.to_dense()
        if self._is_definite():
            return cholesky_solve(cholesky(matrix), rhs)
        return jnp.linalg.solve(adjoint_of(matrix) if adjoint else matrix, rhs)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._solve(rhs[..., None], adjoint=adjoint)[..., 0]

    def _to_dense(self) -> Tensor:
        columns = int(self.domain_dimension)
        one = jnp.eye(columns, dtype=self._numpy_type())
        return self._matmul(jnp.broadcast_to(one, (*self.batch_shape, columns, columns)))

    def _diag_part(self) -> Tensor:
        return diag_part(self.to_dense())

    def _trace(self) -> Tensor:
        return jnp.sum(self.diag_part(), -1)

    def _determinant(self) -> Tensor:
        return jnp.exp(self._log_abs_determinant()) if self._is_definite() else jnp.linalg.det(self.to_dense())

    def _log_abs_determinant(self) -> Tensor:
        if self._is_definite():
            return 2 * jnp.sum(jnp.log(diag_part(cholesky(self.to_dense()))), -1)
        return jnp.linalg.slogdet(self.to_dense())[1].astype(self._numpy_type())

    def _eigvals(self) -> Tensor:
        return eigvalsh(self.to_dense())

    def _cond(self) -> Tensor:
        own = self.is_self_adjoint
        sizes = jnp.abs(self.eigvals()) if own else jnp.linalg.svd(self.to_dense(), compute_uv=False)
        return jnp.max(sizes, -1) / jnp.min(sizes, -1)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return add(self.to_dense(), x)

    def _adjoint(self) -> "LinearOperator":
        return _KINDS["adjoint"](self)

    def _inverse(self) -> "LinearOperator":
        return _KINDS["inverse"](self)

    def _cholesky(self) -> "LinearOperator":
        return _KINDS["factor"](cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True)

    def _times(self, other: "LinearOperator") -> "LinearOperator":
        """Returns the product with another operator, as simple an operator as is known."""
        return _KINDS["product"]([self, other], is_square=_square_product(self, other))

    def _assert_non_singular(self) -> None:
        limit = 1 / jnp.finfo(self._numpy_type()).eps
        condition = self.cond()
        assert_less(jnp.real(condition), limit, message="Singular matrix up to precision epsilon.")

    def _assert_positive_definite(self) -> None:
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{self.name}.assert_positive_definite is only implemented for an operator that is known to be self-adjoint: "
                "create it with is_self_adjoint=True."
            )
        pivots = jnp.real(diag_part(cholesky(self.to_dense())))
        assert_positive(pivots, message="Matrix was not positive definite.")

    def _assert_self_adjoint(self) -> None:
        matrix = self.to_dense()
        assert_equal(matrix, adjoint_of(matrix), message="Matrix was not equal to its adjoint.")

    # --- Shape and hints ---

    @property
    def dtype(self) -> DType:
        """The dtype of the matrix, and of what it is applied to."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, [..., rows, columns]."""
        return TensorShape(self._shape())

    @property
    def batch_shape(self) -> TensorShape:
        """The shape without the last two dimensions."""
        return TensorShape(self.shape[:-2])

    @property
    def tensor_rank(self) -> int:
        """The number of dimensions, those of the batch included."""
        return len(self.shape)

    @property
    def domain_dimension(self) -> int:
        """The number of columns."""
        return int(self.shape[-1] or 0)

    @property
    def range_dimension(self) -> int:
        """The number of rows."""
        return int(self.shape[-2] or 0)

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Returns the shape as an int32 tensor."""
        return _as_tensor(self.shape)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Returns the shape of the batch as an int32 tensor."""
        return _as_tensor(self.batch_shape)

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Returns the number of dimensions as an int32 tensor."""
        return tensor(self.tensor_rank)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Returns the number of columns as an int32 tensor."""
        return tensor(self.domain_dimension)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Returns the number of rows as an int32 tensor."""
        return tensor(self.range_dimension)

    @property
    def is_non_singular(self) -> Hint:
        """Returns whether the matrix has an inverse."""
        return self._hints.is_non_singular

    @property
    def is_self_adjoint(self) -> Hint:
        """Returns whether the matrix equals its conjugate transpose."""
        return self._hints.is_self_adjoint

    @property
    def is_positive_definite(self) -> Hint:
        """Returns whether the real part of x^H @ matrix @ x is positive for every x but 0."""
        return self._hints.is_positive_definite

    @property
    def is_square(self) -> Hint:
        """Returns whether there are as many rows as columns. Raises ValueError if that contradicts the hint."""
        square = self.domain_dimension == self.range_dimension
        if self._hints.is_square is False and square:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return square if self._hints.is_square is None else self._hints.is_square

    @property
    def parameters(self) -> Any:
        """The arguments that the operator was created with, a dict."""
        return dict(self._parameters)

    @property
    def graph_parents(self) -> list[Tensor]:
        """An empty list: there is no graph."""
        return []

    # --- Products and equations ---

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """Returns the product with matrices of shape [..., columns, k], leading dimensions broadcast, or with an operator.

        adjoint: of this operator's adjoint. adjoint_arg: with the adjoint of `x`. The product of operators is an operator.
        Raises TypeError for another dtype, ValueError for sizes that do not fit.
        """
        if isinstance(x, LinearOperator):
            return _product(self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x)
        array = self._argument(x, adjoint, adjoint_arg)
        return self._matmul(array, adjoint=adjoint)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """Returns the product with vectors of shape [..., columns]."""
        array = self._typed(x)
        _check_size(self.range_dimension if adjoint else self.domain_dimension, array.shape[-1])
        return self._matvec(array, adjoint=adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """Returns the x for which operator @ x = rhs, of shape [..., rows, k]; for an operator as `rhs`, an operator.

        adjoint, adjoint_arg: as for `matmul`. Raises NotImplementedError for an operator that is singular or not square.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return _product(
                self.adjoint().inverse() if adjoint else self.inverse(), rhs.adjoint() if adjoint_arg else rhs
            )
        array = self._argument(rhs, adjoint, adjoint_arg)
        return self._solve(array, adjoint=adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """Returns the vectors x for which operator @ x = rhs. Raises NotImplementedError as `solve` does."""
        self._check_solvable()
        array = self._typed(rhs)
        _check_size(self.range_dimension, array.shape[-1])
        return self._solvevec(array, adjoint=adjoint)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def __getitem__(self, slices: Any) -> "LinearOperator":
        """Returns an operator for a part of the batch, given by its matrices. Raises IndexError for more indices than that."""
        wanted = slices if isinstance(slices, tuple) else (slices,)
        whole = (slice(None), slice(None))
        if Ellipsis not in wanted:
            wanted = (*wanted, Ellipsis)
        matrices = self.to_dense()[(*wanted, *whole)]
        return _KINDS["dense"](matrices, *self._hints)

    def adjoint(self, name: str = "adjoint") -> "LinearOperator":
        """Returns the operator whose matrix is the conjugate transpose: this one if it is known to be self-adjoint."""
        return self if self.is_self_adjoint else self._adjoint()

    @property
    def H(self) -> "LinearOperator":
        """The adjoint."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> "LinearOperator":
        """Returns the operator whose matrix is the inverse. Raises ValueError if this one is singular or not square."""
        if not self.is_square or self.is_non_singular is False:
            kind = "singular" if self.is_square else "non square"
            raise ValueError(f"Cannot take the Inverse: This operator represents a {kind} matrix.")
        return self._inverse()

    def cholesky(self, name: str = "cholesky") -> "LinearOperator":
        """Returns the lower triangular operator L with L @ L.H equal to this one.

        Raises ValueError unless the operator is known to be positive definite and self-adjoint.
        """
        if not self._is_definite():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix. If it is one, create the "
                "operator with is_positive_definite=True and is_self_adjoint=True."
            )
        return self._cholesky()

    # --- The matrix ---

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """Returns the matrix."""
        return self._to_dense()

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """Returns the sum of the matrix and a tensor."""
        return self._add_to_tensor(self._typed(x))

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """Returns the main diagonal."""
        return self._diag_part()

    def trace(self, name: str = "trace") -> Tensor:
        """Returns the sum of the main diagonal."""
        return self._trace()

    def determinant(self, name: str = "det") -> Tensor:
        """Returns the determinant. Raises NotImplementedError for an operator that is not square."""
        self._check_square("Determinant")
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """Returns the logarithm of the determinant's absolute value. Raises NotImplementedError as `determinant` does."""
        self._check_square("Determinant")
        return self._log_abs_determinant()

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """Returns the eigenvalues of a self-adjoint operator. Raises NotImplementedError for one that is not known to be."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def cond(self, name: str = "cond") -> Tensor:
        """Returns the largest singular value divided by the smallest."""
        return self._cond()

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """Raises InvalidArgumentError, in a compiled step too, if the condition number is 1 / epsilon or more."""
        self._assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """Raises InvalidArgumentError if the matrix is not positive definite, NotImplementedError if that cannot be found."""
        self._assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """Raises InvalidArgumentError if the matrix does not equal its conjugate transpose."""
        self._assert_self_adjoint()

    # --- Arguments ---

    def _numpy_type(self) -> np.dtype:
        return self._dtype.dtype

    def _is_definite(self) -> bool:
        """Returns whether a Cholesky decomposition is known to exist."""
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _typed(self, x: Any) -> Tensor:
        """Returns `x` as a tensor of the operator's dtype. Raises TypeError for tensors and NumPy arrays of another."""
        array = tensor(x) if is_tensor(x) or isinstance(x, np.ndarray) else tensor(x, self._dtype)
        if array.dtype != self._numpy_type():
            raise TypeError(f"Expected argument to have dtype {self._dtype!r}, found {array.dtype}. Use tf.cast.")
        return array

    def _argument(self, x: Any, adjoint: bool, adjoint_arg: bool) -> Tensor:
        array = self._typed(x)
        if adjoint_arg:
            array = adjoint_of(array)
        if array.ndim < 2:
            raise ValueError(
                f"A linear operator takes matrices, got the shape {list(array.shape)}; for vectors, `matvec`."
            )
        _check_size(self.range_dimension if adjoint else self.domain_dimension, array.shape[-2])
        return array

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        self._check_square("Exact solve")

    def _check_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")


def _check_size(wanted: int, found: int) -> None:
    if wanted != found:
        raise ValueError(f"Dimensions {wanted} and {found} are not compatible.")


def _product(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    _check_size(left.domain_dimension, right.range_dimension)
    if right._is_neutral:
        return left
    return right if left._is_neutral else left._times(right)


def _square_product(left: LinearOperator, right: LinearOperator) -> Hint:
    return True if left.is_square and right.is_square else None


def _as_tensor(shape: TensorShape) -> Any:
    return shape_of(np.empty(tuple(shape), np.bool_))
