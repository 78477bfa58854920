"""`tf.nn.dropout`."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.types import ShapeLike, TensorLike
from stratagem._ops._convert import Tensor, is_traced, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.sampling._random import uniform


def dropout(
    x: TensorLike, rate: TensorLike, noise_shape: ShapeLike = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Sets entries to zero with probability `rate` and scales up all others by 1 / (1 - rate).

    noise_shape: in a dimension where it is 1, all entries are dropped or kept together.
    Raises ValueError for integers and for a rate outside [0, 1).
    """
    array, share = tensor(x), tensor(rate)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise ValueError(f"tf.nn.dropout scales its input, which must be floating point, got {array.dtype}.")
    if not is_traced(share) and not 0 <= float(share) < 1:
        raise ValueError(f"rate is a number in [0, 1), got {rate}.")
    if not is_traced(share) and float(share) == 0:
        return array
    shape = array.shape if noise_shape is None else _noise(noise_shape, array.shape)
    share = share.astype(array.dtype)
    kept = uniform(shape, dtype=array.dtype, seed=seed) >= share
    return jnp.where(kept, array / (1 - share), jnp.zeros_like(array))


def _noise(asked: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(asked, list | tuple):
        return tuple(size if wanted is None else int(wanted) for wanted, size in zip(asked, shape, strict=True))
    return static_shape(asked)


accept_symbols(globals())
