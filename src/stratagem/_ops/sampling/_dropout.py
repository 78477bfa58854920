"""Dropout: `tf.nn.dropout`, and with numbers that depend on a seed alone or come from a function."""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike, UserFunction
from stratagem._ops._convert import Tensor, is_tensor, is_traced, static_shape, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.sampling._random import uniform
from stratagem._ops.sampling._stateless import stateless_uniform


@exported("nn.dropout", v1=())
def dropout(
    x: Any, rate: Any, noise_shape: ShapeLike | None = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Sets entries to zero with probability `rate` and scales up all others by 1 / (1 - rate).

    noise_shape: in a dimension where it is 1, all entries are dropped or kept together.
    Raises ValueError for integers and for a rate outside [0, 1).
    """
    return _dropped(x, rate, functools.partial(uniform, seed=seed), noise_shape)


@exported("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: str | None = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Drops entries like `dropout`, always the same ones for a seed (two numbers)."""
    sampler = functools.partial(stateless_uniform, seed=seed, alg=rng_alg or "auto_select")
    return _dropped(x, rate, sampler, noise_shape)


@exported("nn.experimental.general_dropout")
def general_dropout(
    x: Any,
    rate: Any,
    uniform_sampler: UserFunction,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Drops entries like `dropout`: those for which `uniform_sampler(shape=..., dtype=...)` gives a number below `rate`."""
    return _dropped(x, rate, uniform_sampler, noise_shape)


def _dropped(x: Any, rate: Any, sampler: UserFunction, noise_shape: ShapeLike | None) -> Tensor:
    array = tensor(x)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise ValueError(f"tf.nn.dropout scales its input, which must be floating point, got {array.dtype}.")
    share = tensor(rate) if is_tensor(rate) else tensor(rate, array.dtype)
    if not is_traced(share) and not 0 <= float(share) < 1:
        raise ValueError(f"rate is a number in [0, 1), got {rate}.")
    if not is_traced(share) and float(share) == 0:
        return array
    shape = array.shape if noise_shape is None else _noise(noise_shape, array.shape)
    share = share.astype(array.dtype)
    kept = tensor(sampler(shape=shape, dtype=array.dtype)) >= share
    return jnp.where(kept, array / (1 - share), jnp.zeros_like(array))


def _noise(asked: ShapeLike, shape: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(asked, list | tuple):
        return tuple(size if wanted is None else int(wanted) for wanted, size in zip(asked, shape, strict=True))
    return static_shape(asked)


accept_symbols(globals())
