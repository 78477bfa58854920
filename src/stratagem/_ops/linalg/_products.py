"""Products of matrices and vectors, and transposition."""

from typing import Any

import jax.numpy as jnp

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, operands, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._ops._symbolic import accept_symbols


@exported("matmul", "linalg.matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The product of matrices, or of batches of them, of one dtype.

    Raises ValueError if a matrix is both transposed and its adjoint.
    """
    for operand, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(
                f"tf.matmul takes transpose_{operand} or adjoint_{operand}, got both: leave out the first."
            )
    left, right = operands("matmul", a, b)
    left = _transposed(left, transpose_a, adjoint_a)
    right = _transposed(right, transpose_b, adjoint_b)
    kind = None if output_type is None else as_dtype(output_type).dtype
    return jnp.matmul(left, right, preferred_element_type=kind)


def _transposed(array: Tensor, transpose: bool, adjoint: bool) -> Tensor:
    return adjoint_of(array) if adjoint else jnp.swapaxes(array, -1, -2) if transpose else array


def adjoint_of(array: Tensor) -> Tensor:
    """The conjugate transpose of matrices."""
    return jnp.conj(jnp.swapaxes(array, -1, -2))


@exported("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """A matrix times a vector, or batches of both."""
    left, right = operands("linalg.matvec", a, b)
    return jnp.matmul(_transposed(left, transpose_a, adjoint_a), right[..., None])[..., 0]


@exported("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products over these axes, given as a number of axes or as one list per tensor."""
    left, right = operands("tensordot", a, b)
    return jnp.tensordot(left, right, axes=axes)


@exported("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: object) -> Tensor:
    """The sum of products described by the equation."""
    return jnp.einsum(equation, *operands("einsum", *inputs))


@exported("linalg.cross", v1=["cross", "linalg.cross"])
def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross product of vectors with three entries. Raises InvalidArgumentError for other shapes, and two different ones."""
    left, right = operands("linalg.cross", a, b)
    if left.shape != right.shape or left.shape[-1:] != (3,):
        raise InvalidArgumentError(
            f"tf.linalg.cross takes two tensors of one shape [..., 3], got {list(left.shape)} and {list(right.shape)}."
        )
    return jnp.cross(left, right)


@exported("linalg.adjoint")
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose of matrices: the last two dimensions change places. Raises ValueError for fewer dimensions."""
    return adjoint_of(_with_two_dimensions("adjoint", matrix))


@exported("linalg.matrix_transpose", v1=["matrix_transpose", "linalg.matrix_transpose"])
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Matrices whose last two dimensions change places. Raises ValueError for fewer dimensions."""
    array = _with_two_dimensions("matrix_transpose", a)
    return adjoint_of(array) if conjugate else jnp.swapaxes(array, -1, -2)


def _with_two_dimensions(name: str, value: Any) -> Tensor:
    array = tensor(value)
    if array.ndim < 2:
        raise ValueError(f"tf.linalg.{name} takes matrices, got the shape {list(array.shape)}; use tf.expand_dims.")
    return array


accept_symbols(globals())
