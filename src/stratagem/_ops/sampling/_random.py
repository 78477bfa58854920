"""Random tensors: `tf.random`, drawn from Keras' seed generators so that every step and every replica gets its own."""

import weakref
from typing import Any

import jax
import keras
import numpy as np

from stratagem import _private
from stratagem._core.context import current
from stratagem._core.values import placement_of
from stratagem._ops._convert import Tensor, static_shape, tensor, wide
from stratagem._ops._dtypes import as_dtype, float32, int64
from stratagem._ops.sampling._distributions import (
    draw_categorical,
    draw_normal,
    draw_truncated_normal,
    draw_uniform,
    key_of,
)

# A generator for each `seed=` that a call has named: its numbers repeat from one start of the program to the next.
_by_seed: dict[int, Any] = {}
# Generators in place of others that belong to another strategy, by these.
_in_place_of: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def set_seed(seed: int) -> None:
    """Start all generators anew from this number, also those of programs that are compiled already."""
    _private.set_random_seed(int(seed))


def _start_anew() -> None:
    for seed, generator in list(_by_seed.items()):  # other threads may trace, and add some
        _private.restart(generator, seed)
    for generator, other in list(_in_place_of.items()):
        _private.restart(generator, other._initial_seed)


_private.on_seeding(_start_anew)


def _generator(seed: Any) -> Any:
    if seed is None:
        return _of_scope(_private.global_seed_generator())
    if seed not in _by_seed:
        _by_seed[seed] = keras.random.SeedGenerator(int(seed))
    return _of_scope(_by_seed[seed])


def _of_scope(generator: Any) -> Any:
    """The generator; if it belongs to another strategy than the scope, one of that strategy, which starts where it did.

    Cross-replica code of a step is in the scope of the strategy whose replicas it has run.
    """
    context, placement = current(), placement_of(generator.state)
    strategy = context.recorder.strategy if context.strategy is None and context.recorder else context.strategy
    if strategy is None or placement is None or placement.strategy in (None, strategy):
        return generator
    if context.graph is not None:  # a model_fn draws from generators of its graph in any case
        return generator
    own = strategy.seed_generators.get(generator)
    if own is None:
        own = strategy.seed_generators[generator] = keras.random.SeedGenerator(generator._initial_seed)
        _in_place_of[own] = generator
    return own


def _key(seed: Any = None) -> jax.Array:
    return key_of(_generator(seed).next())


# --- Stateful ---------------------------------------------------------------------------------------------------------


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers."""
    return draw_normal(_key(seed), shape, mean, stddev, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniform in [minval, maxval); for integers `maxval` must be given, else ValueError."""
    return draw_uniform(_key(seed), shape, minval, maxval, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers within two standard deviations."""
    return draw_truncated_normal(_key(seed), shape, mean, stddev, dtype)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows (entries along dimension 0) in random order."""
    return jax.random.permutation(_key(seed), tensor(value))


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Class numbers drawn with these unnormalized log-probabilities: (batch, classes) -> (batch, samples), int64."""
    return draw_categorical(_key(seed), logits, num_samples, dtype)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Gamma-distributed numbers of shape (*shape, *alpha.shape)."""
    kind = as_dtype(dtype).dtype
    shape_of = tensor(alpha).astype(kind)
    with wide(kind):
        drawn = jax.random.gamma(_key(seed), shape_of, (*static_shape(shape), *shape_of.shape), kind)
    return drawn if beta is None else drawn / tensor(beta).astype(kind)


def poisson(shape: Any, lam: Any, dtype: Any = float32, seed: int | None = None, name: str | None = None) -> Tensor:
    """Poisson-distributed numbers of shape (*shape, *lam.shape)."""
    rate = tensor(lam)
    return jax.random.poisson(_key(seed), rate, (*static_shape(shape), *rate.shape)).astype(as_dtype(dtype).dtype)


# --- Stateless --------------------------------------------------------------------------------------------------------


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Normally distributed numbers that depend on `seed` (two numbers) alone; not the same numbers as TF's."""
    return draw_normal(key_of(seed), shape, mean, stddev, dtype)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Uniform numbers that depend on `seed` (two numbers) alone; not the same numbers as TF's."""
    return draw_uniform(key_of(seed), shape, minval, maxval, dtype)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Truncated normal numbers that depend on `seed` (two numbers) alone; not the same numbers as TF's."""
    return draw_truncated_normal(key_of(seed), shape, mean, stddev, dtype)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = int64, name: str | None = None
) -> Tensor:
    """Class numbers that depend on `seed` (two numbers) alone; not the same numbers as TF's."""
    return draw_categorical(key_of(seed), logits, num_samples, dtype)


def stateless_shuffle(value: Any, seed: Any, alg: str = "auto_select", name: str | None = None) -> Tensor:
    """The rows in an order that depends on `seed` (two numbers) alone."""
    return jax.random.permutation(key_of(seed), tensor(value))


def split(seed: Any, num: int = 2, alg: str = "auto_select") -> Tensor:
    """`num` new seeds: shape (num, 2), int32."""
    return jax.random.key_data(jax.random.split(key_of(seed), num)).astype(np.int32)


def fold_in(seed: Any, data: Any, alg: str = "auto_select") -> Tensor:
    """A new seed (two int32 numbers) of a seed and a number."""
    return jax.random.key_data(jax.random.fold_in(key_of(seed), tensor(data))).astype(np.int32)
