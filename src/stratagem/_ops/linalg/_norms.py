"""Norms of vectors and matrices, and clipping by norm."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, static_axes, tensor
from stratagem._ops._symbolic import accept_symbols


@exported("norm", "linalg.norm", v1=())
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """A vector norm (of the flattened tensor without `axis`), or with a pair as `axis` a matrix norm.

    ord: "euclidean", a positive number or infinity; of matrices "euclidean", "fro", 1, 2 or infinity. The Euclidean norm of
    complex numbers has their dtype, as in TensorFlow, all others are real. Raises ValueError for another `ord`.
    """
    array, axes = _inexact("norm", tensor), static_axes(axis)
    if isinstance(axes, tuple) and len(axes) == 1:
        axes = axes[0]
    of_matrices = isinstance(axes, tuple)
    _check_order(ord, axes)
    keep = bool(keepdims)
    if ord in ("euclidean", "fro") or (ord == 2 and not of_matrices):
        kept = jnp.square(array) if not jnp.iscomplexobj(array) else array * jnp.conj(array)
        return jnp.sqrt(jnp.sum(kept, axes, keepdims=keep))
    if axes is None:
        flat = jnp.linalg.norm(array.ravel(), ord)
        return flat.reshape((1,) * array.ndim) if keep else flat
    return jnp.linalg.norm(array, ord, axes, keepdims=keep)


def _inexact(name: str, value: Any) -> Tensor:
    array = _tensor(value)
    if not jnp.issubdtype(array.dtype, np.inexact):
        raise InvalidArgumentError(f"tf.linalg.{name} takes floating point, got {array.dtype}. Use tf.cast.")
    return array


def _check_order(order: Any, axes: int | tuple[int, ...] | None) -> None:
    if isinstance(axes, tuple):
        if len(axes) != 2 or axes[0] == axes[1]:
            raise ValueError(f"tf.norm: the axis of a matrix norm is a pair of different numbers, got {axes}.")
        if order not in ("euclidean", "fro", 1, 2, np.inf):
            raise ValueError(f"tf.norm: ord of matrices is 'euclidean', 'fro', 1, 2 or np.inf, got {order!r}.")
    elif order != "euclidean" and (isinstance(order, str) or np.iscomplexobj(order) or order <= 0):
        raise ValueError(f"tf.norm: ord of vectors is 'euclidean', a positive number or np.inf, got {order!r}.")


@exported("linalg.normalize")
def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A tensor divided by its norm along `axis` (of all entries without one), and the norm, whose dimensions are kept.

    Both have the tensor's dtype. ord, axis: as for `norm`.
    """
    array = _tensor(tensor)
    length = norm(array, ord, axis, keepdims=True).astype(array.dtype)
    return array / length, length


def squares(array: Tensor) -> Tensor:
    """The squared absolute values."""
    return jnp.square(jnp.abs(array) if jnp.iscomplexobj(array) else array)


# The parameter `tensor` of `norm`, TF's name, hides the function.
_tensor = tensor


@exported("linalg.l2_normalize", "math.l2_normalize", "nn.l2_normalize", v1=["linalg.l2_normalize"])
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """`x` divided by its Euclidean norm along `axis` (of all entries without one)."""
    array = tensor(x)
    total = jnp.sum(squares(array), static_axes(axis if axis is not None else dim), keepdims=True)
    factor = jax.lax.rsqrt(jnp.maximum(total, epsilon))
    if jnp.iscomplexobj(array):  # part by part: a product with a complex factor would make NaN of infinities
        return jax.lax.complex(array.real * factor, array.imag * factor)
    return array * factor


# --- Clipping by norm -------------------------------------------------------------------------------------------------


@exported("linalg.global_norm", v1=["global_norm", "linalg.global_norm"])
def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The Euclidean norm of all tensors in a list together; None entries are ignored.

    Raises TypeError when the list is a tensor.
    """
    if not isinstance(t_list, list | tuple):
        raise TypeError(f"tf.linalg.global_norm takes a list of tensors, got {type(t_list).__name__}.")
    sums = [jnp.sum(squares(tensor(t))) for t in t_list if t is not None]
    return jnp.sqrt(sum(sums[1:], sums[0])) if sums else tensor(0.0)


@exported("clip_by_global_norm")
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


@exported("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Scales the tensor down so that its norm (along `axes`) is at most `clip_norm`."""
    array = tensor(t)
    limit = tensor(clip_norm).astype(array.dtype)
    total = jnp.sum(jnp.square(array), static_axes(axes), keepdims=True)
    # The inner `where` keeps the gradient of the root finite at 0.
    length = jnp.where(total > 0, jnp.sqrt(jnp.where(total > 0, total, 1)), total)
    return array * limit / jnp.maximum(length, limit)


accept_symbols(globals())
