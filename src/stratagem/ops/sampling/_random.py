"""Random tensors: `tf.random`, drawn from Keras' seed generators so that every step and every replica gets its own."""

import weakref
from typing import Any, final

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem import _private
from stratagem._context import current
from stratagem.ops._convert import Tensor, numpy_type, static_int, static_shape, tensor, wide
from stratagem.ops._dtypes import as_dtype, float32, int64
from stratagem.values import placement_of

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
    """The generator; if it belongs to another strategy than the scope, one of that strategy, which starts where it did."""
    strategy, placement = current().strategy, placement_of(generator.state)
    elsewhere = strategy is not None and placement is not None and placement.strategy not in (None, strategy)
    if not elsewhere or current().graph is not None:  # a model_fn draws from generators of its graph in any case
        return generator
    own = strategy.seed_generators.get(generator)
    if own is None:
        own = strategy.seed_generators[generator] = keras.random.SeedGenerator(generator._initial_seed)
        _in_place_of[own] = generator
    return own


def _key(seed: Any = None) -> jax.Array:
    return _as_key(_generator(seed).next())


def _as_key(seed: Any) -> jax.Array:
    """A JAX key for two numbers."""
    return jax.random.wrap_key_data(tensor(seed).astype(np.uint32).reshape(2), impl="threefry2x32")


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
    return _normal(_key(seed), shape, mean, stddev, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniform in [minval, maxval); for integers `maxval` must be given, else ValueError."""
    return _uniform(_key(seed), shape, minval, maxval, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers within two standard deviations."""
    return _truncated_normal(_key(seed), shape, mean, stddev, dtype)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows (entries along dimension 0) in random order."""
    return jax.random.permutation(_key(seed), tensor(value))


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Class numbers drawn with these unnormalized log-probabilities: (batch, classes) -> (batch, samples), int64."""
    return _categorical(_key(seed), logits, num_samples, dtype)


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
    return _normal(_as_key(seed), shape, mean, stddev, dtype)


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
    return _uniform(_as_key(seed), shape, minval, maxval, dtype)


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
    return _truncated_normal(_as_key(seed), shape, mean, stddev, dtype)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = int64, name: str | None = None
) -> Tensor:
    """Class numbers that depend on `seed` (two numbers) alone; not the same numbers as TF's."""
    return _categorical(_as_key(seed), logits, num_samples, dtype)


def stateless_shuffle(value: Any, seed: Any, alg: str = "auto_select", name: str | None = None) -> Tensor:
    """The rows in an order that depends on `seed` (two numbers) alone."""
    return jax.random.permutation(_as_key(seed), tensor(value))


def split(seed: Any, num: int = 2, alg: str = "auto_select") -> Tensor:
    """`num` new seeds: shape (num, 2), int32."""
    return jax.random.key_data(jax.random.split(_as_key(seed), num)).astype(np.int32)


def fold_in(seed: Any, data: Any, alg: str = "auto_select") -> Tensor:
    """A new seed (two int32 numbers) of a seed and a number."""
    return jax.random.key_data(jax.random.fold_in(_as_key(seed), tensor(data))).astype(np.int32)


@final
class Generator:
    """`tf.random.Generator`: draws whose state advances by itself, inside a step too."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    @classmethod
    def from_seed(cls, seed: int, alg: str | None = None) -> "Generator":
        """A generator that starts from this number."""
        return cls(keras.random.SeedGenerator(int(seed)))

    @classmethod
    def from_non_deterministic_state(cls, alg: str | None = None) -> "Generator":
        """A generator that starts anywhere."""
        return cls(keras.random.SeedGenerator())

    @property
    def state(self) -> Any:
        """The variable that holds the state."""
        return self._generator.state

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Normally distributed numbers."""
        return _normal(self._next(), shape, mean, stddev, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Normally distributed numbers within two standard deviations."""
        return _truncated_normal(self._next(), shape, mean, stddev, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = float32, name: str | None = None
    ) -> Tensor:
        """Uniform in [minval, maxval); for integers `maxval` must be given, else ValueError."""
        return _uniform(self._next(), shape, minval, maxval, dtype)

    def _next(self) -> jax.Array:
        return _as_key(self._generator.next())


# --- The distributions ------------------------------------------------------------------------------------------------


def _scaled(drawn: Tensor, mean: Any, stddev: Any) -> Tensor:
    return drawn * _number(stddev, drawn) + _number(mean, drawn)


def _number(value: Any, like: Tensor) -> Any:
    return tensor(value).astype(like.dtype)


def _normal(key: jax.Array, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    kind = as_dtype(dtype).dtype
    with wide(kind):
        drawn = jax.random.normal(key, static_shape(shape), kind)
    return _scaled(drawn, mean, stddev)


def _truncated_normal(key: jax.Array, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    kind = as_dtype(dtype).dtype
    with wide(kind):
        drawn = jax.random.truncated_normal(key, -2.0, 2.0, static_shape(shape), kind)
    return _scaled(drawn, mean, stddev)


def _uniform(key: jax.Array, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    kind = as_dtype(dtype)
    if kind.is_integer and maxval is None:
        raise ValueError(f"maxval must be given for integers ({kind!r}).")
    low = tensor(minval).astype(kind.dtype)
    high = tensor(1 if maxval is None else maxval).astype(kind.dtype)
    if kind.is_integer:
        return jax.random.randint(key, static_shape(shape), low, high, kind.dtype)
    return jax.random.uniform(key, static_shape(shape), kind.dtype, low, high)


def _categorical(key: jax.Array, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    scores = tensor(logits)
    count = static_int(num_samples, "a tensor is the number of samples")
    drawn = jax.random.categorical(key, scores[:, None, :], shape=(scores.shape[0], count))
    return jnp.asarray(drawn, dtype=numpy_type(dtype, int64))
