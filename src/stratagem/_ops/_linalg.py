"""Linear algebra: products, norms, clipping by norm, decompositions."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.types import DTypeLike, IntLike, TensorLike, Unused
from stratagem._ops._convert import Tensor, operands, static_axes, tensor
from stratagem._ops._dtypes import as_dtype
from stratagem._ops._symbolic import accept_symbols


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """The product of matrices, or of batches of them, of one dtype."""
    left, right = operands("matmul", a, b)
    left = _transposed(left, transpose_a, adjoint_a)
    right = _transposed(right, transpose_b, adjoint_b)
    kind = None if output_type is None else as_dtype(output_type).dtype
    return jnp.matmul(left, right, preferred_element_type=kind)


def _transposed(array: Tensor, transpose: bool, adjoint: bool) -> Tensor:
    if not (transpose or adjoint):
        return array
    transposed = jnp.swapaxes(array, -1, -2)
    return jnp.conj(transposed) if adjoint else transposed


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """A matrix times a vector, or batches of both."""
    left, right = operands("linalg.matvec", a, b)
    return jnp.matmul(_transposed(left, transpose_a, adjoint_a), right[..., None])[..., 0]


def tensordot(a: TensorLike, b: TensorLike, axes: IntLike, name: str | None = None) -> Tensor:
    """The sum of products over these axes, given as a number of axes or as one list per tensor."""
    left, right = operands("tensordot", a, b)
    return jnp.tensordot(left, right, axes=axes)


def einsum(equation: str, *inputs: TensorLike, **kwargs: Unused) -> Tensor:
    """The sum of products described by the equation."""
    return jnp.einsum(equation, *operands("einsum", *inputs))


def norm(
    tensor: TensorLike,
    ord: TensorLike = "euclidean",
    axis: IntLike = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """A vector norm (of the flattened tensor without `axis`), or with a pair as `axis` a matrix norm."""
    array, axes = _tensor(tensor), static_axes(axis)
    kind = {"euclidean": None}.get(ord, ord)
    if axes is None and ord in ("euclidean", "fro"):
        return jnp.sqrt(jnp.sum(squares(array), keepdims=bool(keepdims)))
    if axes is None:
        flat = jnp.linalg.norm(array.ravel(), kind)
        return flat.reshape((1,) * array.ndim) if keepdims else flat
    return jnp.linalg.norm(array, kind, axes, keepdims=bool(keepdims))


def squares(array: Tensor) -> Tensor:
    """The squared absolute values."""
    return jnp.square(jnp.abs(array) if jnp.iscomplexobj(array) else array)


# The parameter `tensor` of `norm`, TF's name, hides the function.
_tensor = tensor


def l2_normalize(
    x: TensorLike, axis: IntLike = None, epsilon: float = 1e-12, name: str | None = None, dim: TensorLike = None
) -> Tensor:
    """`x` divided by its Euclidean norm along `axis` (of all entries without one)."""
    array = tensor(x)
    total = jnp.sum(jnp.square(array), static_axes(axis if axis is not None else dim), keepdims=True)
    return array * jax.lax.rsqrt(jnp.maximum(total, epsilon))


# --- Clipping by norm -------------------------------------------------------------------------------------------------


def global_norm(t_list: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The Euclidean norm of all tensors in a list together; None entries are ignored.

    Raises TypeError when the list is a tensor.
    """
    if not isinstance(t_list, list | tuple):
        raise TypeError(f"tf.linalg.global_norm takes a list of tensors, got {type(t_list).__name__}.")
    sums = [jnp.sum(squares(tensor(t))) for t in t_list if t is not None]
    return jnp.sqrt(sum(sums[1:], sums[0])) if sums else tensor(0.0)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Tensor | None], Tensor]:
    """Scales the tensors down together so that their global norm is at most `clip_norm`; also returns the original norm.

    None stays None. When the norm is infinite or NaN, so that no sensible result exists, every entry becomes NaN.
    """
    before = global_norm(t_list) if use_norm is None else tensor(use_norm)
    limit = tensor(clip_norm).astype(before.dtype)
    scale = jnp.where(jnp.isfinite(before), limit * jnp.minimum(1 / before, 1 / limit), jnp.nan)
    return [None if t is None else tensor(t) * scale.astype(tensor(t).dtype) for t in t_list], before


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scales the tensor down so that its norm (along `axes`) is at most `clip_norm`."""
    array = tensor(t)
    limit = tensor(clip_norm).astype(array.dtype)
    total = jnp.sum(jnp.square(array), static_axes(axes), keepdims=True)
    # The inner `where` keeps the gradient of the root finite at 0.
    length = jnp.where(total > 0, jnp.sqrt(jnp.where(total > 0, total, 1)), total)
    return array * limit / jnp.maximum(length, limit)


# --- Matrices ---------------------------------------------------------------------------------------------------------


def diag(diagonal: TensorLike, name: str = "diag") -> Tensor:
    """Square matrices with this diagonal (the last dimension) and zeros elsewhere."""
    array = tensor(diagonal)
    return array[..., None] * jnp.eye(array.shape[-1], dtype=array.dtype)


def diag_part(input: TensorLike, name: str = "diag_part") -> Tensor:
    """The main diagonals of the last two dimensions."""
    return jnp.diagonal(tensor(input), axis1=-2, axis2=-1)


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of the last two dimensions."""
    array = tensor(x)
    return jnp.trace(array, axis1=-2, axis2=-1, dtype=array.dtype)


def band_part(input: TensorLike, num_lower: int, num_upper: int, name: str | None = None) -> Tensor:
    """Sets entries outside a band around the diagonal to zero; a negative number keeps that whole triangle."""
    array = tensor(input)
    rows, columns = np.indices(array.shape[-2:])
    kept = ((num_lower < 0) | (rows - columns <= num_lower)) & ((num_upper < 0) | (columns - rows <= num_upper))
    return jnp.where(kept, array, jnp.zeros_like(array))


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices."""
    return jnp.linalg.inv(_transposed(tensor(input), False, adjoint))


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of square matrices."""
    return jnp.linalg.det(tensor(input))


def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves matrix @ x = rhs for x; both have at least two dimensions."""
    left, right = operands("linalg.solve", matrix, rhs)
    return jnp.linalg.solve(_transposed(left, False, adjoint), right)


def triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves matrix @ x = rhs for x with a triangular matrix."""
    left, right = operands("linalg.triangular_solve", matrix, rhs)
    return jax.scipy.linalg.solve_triangular(left, right, lower=lower, trans="C" if adjoint else 0)


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular L with L @ L^H = input; NaN if a matrix is not positive definite, where TF raises."""
    return jnp.linalg.cholesky(tensor(input))


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The QR decomposition: (q, r)."""
    q, r = jnp.linalg.qr(tensor(input), mode="complete" if full_matrices else "reduced")
    return q, r


def svd(
    tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> TensorLike:
    """The singular value decomposition: (s, u, v) in TF's order, v not transposed; s alone without `compute_uv`."""
    if not compute_uv:
        return jnp.linalg.svd(_tensor(tensor), compute_uv=False)
    u, s, vh = jnp.linalg.svd(_tensor(tensor), full_matrices=full_matrices)
    return s, u, jnp.conj(jnp.swapaxes(vh, -1, -2))


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues, in ascending order, and eigenvectors of symmetric matrices."""
    values, vectors = jnp.linalg.eigh(_tensor(tensor))
    return values, vectors


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors with three entries."""
    left, right = operands("linalg.cross", a, b)
    return jnp.cross(left, right)


accept_symbols(globals())
