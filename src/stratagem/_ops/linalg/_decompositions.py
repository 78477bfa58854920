"""Decompositions of matrices: Cholesky, QR, LU, singular values, eigenvalues."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.linalg._products import adjoint_of


def square_matrices(name: str, value: Any) -> Tensor:
    """A tensor of square matrices for `tf.linalg.<name>`. Raises InvalidArgumentError for another shape, and for integers."""
    array = tensor(value)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise InvalidArgumentError(f"tf.linalg.{name} takes square matrices, got the shape {list(array.shape)}.")
    if not jnp.issubdtype(array.dtype, np.inexact):
        raise InvalidArgumentError(f"tf.linalg.{name} takes floating point, got {array.dtype}. Use tf.cast.")
    return array


@jax.custom_jvp
def _self_adjoint(array: Tensor) -> Tensor:
    """The self-adjoint matrices that have these lower triangles. The derivative of each half goes to both, as TensorFlow's."""
    lower = jnp.tril(array)
    return lower + adjoint_of(jnp.tril(array, -1))


@_self_adjoint.defjvp
def _self_adjoint_rule(primals: tuple[Tensor], tangents: tuple[Tensor]) -> tuple[Tensor, Tensor]:
    (array,), (change,) = primals, tangents
    return _self_adjoint(array), (change + adjoint_of(change)) / 2


def _from_lower(array: Tensor) -> Tensor:
    """The self-adjoint matrices with these lower triangles, which alone have a derivative."""
    return jnp.tril(array) + adjoint_of(jnp.tril(array, -1))


@exported("linalg.cholesky", v1=["cholesky", "linalg.cholesky"])
def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular L with L @ L^H = input, of which the lower triangle is read; NaN if it is not positive definite."""
    return jax.lax.linalg.cholesky(_self_adjoint(square_matrices("cholesky", input)), symmetrize_input=False)


@exported("linalg.qr", v1=["qr", "linalg.qr"])
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The QR decomposition: (q, r)."""
    q, r = jnp.linalg.qr(tensor(input), mode="complete" if full_matrices else "reduced")
    return q, r


@exported("linalg.svd", v1=["svd", "linalg.svd"])
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular value decomposition: (s, u, v) in TF's order, v not transposed; s alone without `compute_uv`."""
    if not compute_uv:
        return jnp.linalg.svd(_tensor(tensor), compute_uv=False)
    u, s, vh = jnp.linalg.svd(_tensor(tensor), full_matrices=full_matrices)
    return s, u, adjoint_of(vh)


# The parameter `tensor` of `svd` and others, TF's name, hides the function.
_tensor = tensor


@exported("linalg.lu")
def lu(input: Any, output_idx_type: DTypeLike = int32, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The LU decomposition of square matrices with row exchanges: (both triangles in one matrix, the order of the rows).

    L has ones on its diagonal, which are left out. The rows of the input, in that order, are those of L @ U.
    """
    packed, _, order = jax.lax.linalg.lu(square_matrices("lu", input))
    return packed, order.astype(as_dtype(output_idx_type).dtype)


# --- Eigenvalues ----------------------------------------------------------------------------------------------------------


@exported("linalg.eigh", v1=["self_adjoint_eig", "linalg.eigh"])
def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues, in ascending order and of the input's dtype, and eigenvectors of self-adjoint matrices.

    The lower triangle is read.
    """
    array = square_matrices("eigh", tensor)
    vectors, values = jax.lax.linalg.eigh(_from_lower(array), symmetrize_input=False)
    return values.astype(array.dtype), vectors


@exported("linalg.eigvalsh")
def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, in ascending order and of the input's dtype. The lower triangle is read."""
    return eigh(tensor)[0]


@exported("eig", "linalg.eig", v1=())
def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues, in no particular order, and eigenvectors of length 1 of square matrices, complex."""
    return _eigenvectors(_as_complex(square_matrices("eig", tensor)))


@exported("eigvals", "linalg.eigvals", v1=())
def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of square matrices, complex and in no particular order."""
    return eig(tensor)[0]


def _as_complex(array: Tensor) -> Tensor:
    return array.astype(jnp.result_type(array.dtype, np.complex64))


@jax.custom_jvp
def _eigenvectors(array: Tensor) -> tuple[Tensor, Tensor]:
    values, vectors = jnp.linalg.eig(array)
    return values, vectors


@_eigenvectors.defjvp
def _eigenvectors_rule(primals: tuple[Tensor], tangents: tuple[Tensor]) -> Any:
    """Derivatives of vectors that keep their length, whose phase TensorFlow fixes alike.

    Boeddeker et al., "On the Computation of Complex-valued Gradients with Application to Statistically Optimum Beamforming"
    (2017), section 4.4.
    """
    (array,), (change,) = primals, tangents
    values, vectors = _eigenvectors(array)
    inside = jnp.linalg.solve(vectors, change @ vectors)
    gaps = values[..., None, :] - values[..., :, None]
    same = jnp.eye(array.shape[-1], dtype=bool)
    turned = vectors @ jnp.where(same, 0, inside / jnp.where(same, 1, gaps))
    along = jnp.sum(jnp.conj(vectors) * turned, -2, keepdims=True).real
    rates = jnp.diagonal(inside, axis1=-2, axis2=-1)
    return (values, vectors), (rates, turned - vectors * along)


accept_symbols(globals())
