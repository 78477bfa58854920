"""Random tensors: `tf.random`, TensorFlow's numbers eagerly after a seed was set.

In steps they are drawn from Keras' seed generators, so that every step and every replica gets different ones.
"""

import weakref
from typing import Any

import jax
import keras

from stratagem import _private
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import current
from stratagem._core.values import placement_of
from stratagem._ops._convert import Tensor, allow_x64, static_int, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, float32, int32, int64
from stratagem._ops._symbolic import name_results
from stratagem._ops.sampling import _orders_and_classes, _stream_draws
from stratagem._ops.sampling._eager_seeds import eager_stream, stream_of_numbers
from stratagem._ops.sampling._generator_state import BLOCKS_OF_A_NUMBER
from stratagem._ops.sampling._keyed_sampling import (
    draw_categorical,
    draw_normal,
    draw_truncated_normal,
    draw_uniform,
    key_of,
)
from stratagem._ops.sampling._philox import words

# A generator for each `seed=` argument so far: its numbers are the same in every run of the program.
_by_seed: dict[int, Any] = {}
# Generators that replace one of another strategy, which is the value.
_replaced: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


@exported("random.set_seed", v1=["set_random_seed", "random.set_random_seed"])
def set_seed(seed: int) -> None:
    """Restarts all generators with this seed, including those of programs that are already compiled.

    While a graph is built, it is the seed of that graph alone.
    """
    graph = current().graph
    if graph is None or not graph.take_seed(int(seed)):
        _private.set_random_seed(int(seed))


def _restart_all() -> None:
    for seed, generator in list(_by_seed.items()):  # a copy: other threads may trace and add generators
        _private.restart(generator, seed)
    for generator, other in list(_replaced.items()):
        _private.restart(generator, other._initial_seed)


_private.on_seeding(_restart_all)


def _generator(seed: Any) -> Any:
    if seed is None:
        return _for_scope(_private.global_seed_generator())
    if seed not in _by_seed:
        _by_seed[seed] = keras.random.SeedGenerator(int(seed))
    return _for_scope(_by_seed[seed])


def _for_scope(generator: Any) -> Any:
    """The generator; if it belongs to another strategy than the scope's, a copy for that strategy with the same initial seed.

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
        _replaced[own] = generator
    return own


def _of_step() -> Any:
    return None if current().recorder is None else _generator(None)


def attach_drawn_seeds() -> None:
    """Let `keras.random` without a seed draw in steps as `tf.random` does."""
    _private.intercept_drawn_seeds(_of_step)


def _key(seed: Any = None, operation: str = "") -> jax.Array:
    """The key of a draw. operation: its name, if a seed that was set decides eagerly; such draws are our own numbers."""
    stream = eager_stream((operation,), seed, BLOCKS_OF_A_NUMBER) if operation else None
    return key_of(_generator(seed).next() if stream is None else words(stream, 2))


def words_of(operation: tuple[str, ...], seed: int | None, count: int, blocks: int) -> Tensor:
    """Returns so many random words, uint32; eagerly, with a seed, TensorFlow's of the operation with this name and these types.

    blocks: of four words, which the operation sets aside in TensorFlow, so that its next draw begins behind them.
    """
    stream = None if seed is None else eager_stream(operation, seed, blocks)
    return (
        jax.random.bits(key_of(_generator(seed).next()), (count,), "uint32") if stream is None else words(stream, count)
    )


@exported("random.normal", v1=())
def normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns normally distributed numbers; eagerly, with a seed, within 4 units in the last place of TensorFlow's."""
    stream = stream_of_numbers("RandomStandardNormal", shape, as_dtype(dtype).name, seed)
    if stream is not None:
        return _stream_draws.draw_normal(stream, shape, mean, stddev, dtype)
    return draw_normal(_key(seed), shape, mean, stddev, dtype)


@exported("random.uniform", v1=())
def uniform(
    shape: ShapeLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns uniform numbers of [minval, maxval); eagerly, with a seed, TensorFlow's.

    Raises ValueError for integers without `maxval`.
    """
    kind = as_dtype(dtype)
    stream = None
    if not kind.is_integer:
        stream = stream_of_numbers("RandomUniform", shape, kind.name, seed)
    elif kind in (int32, int64) and minval is not None and maxval is not None:  # of others TensorFlow draws none
        stream = stream_of_numbers("RandomUniformInt", shape, kind.name, seed)
    if stream is not None:
        return _stream_draws.draw_uniform(stream, shape, minval, maxval, dtype)
    return draw_uniform(_key(seed), shape, minval, maxval, dtype)


@exported("random.truncated_normal", v1=())
def truncated_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers within two standard deviations of the mean, TensorFlow's where `normal`'s are."""
    stream = stream_of_numbers("TruncatedNormal", shape, as_dtype(dtype).name, seed)
    if stream is not None:
        return _stream_draws.draw_truncated_normal(stream, shape, mean, stddev, dtype)
    return draw_truncated_normal(_key(seed), shape, mean, stddev, dtype)


@exported("random.shuffle", v1=["random_shuffle", "random.shuffle"])
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """Returns the rows (entries along dimension 0) in random order; eagerly, with a seed, TensorFlow's."""
    given = tensor(value)
    swaps = given.shape[0] - 1 if given.ndim and given.shape[0] else 0
    stream = eager_stream(("RandomShuffle", str(given.dtype)), seed, -(-swaps // 4))
    return jax.random.permutation(_key(seed), given) if stream is None else _orders_and_classes.shuffled(stream, given)


@exported("random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: DTypeLike | None = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Draws class numbers with these unnormalized log-probabilities: (batch, classes) -> (batch, samples), int64.

    Eagerly, with a seed, they are TensorFlow's.
    """
    scores, kind = tensor(logits), as_dtype(int64 if dtype is None else dtype)
    if scores.ndim == 2 and kind in (int32, int64):
        samples = -(-static_int(num_samples, "a tensor is the number of samples") // 4) * 4
        blocks = scores.shape[0] * samples * 2 * BLOCKS_OF_A_NUMBER
        stream = eager_stream(("Multinomial", str(scores.dtype), kind.name), seed, blocks)
        if stream is not None:
            return _orders_and_classes.draw_classes(stream, scores, num_samples, kind)
    return draw_categorical(_key(seed), logits, num_samples, dtype)


@exported("random.gamma", v1=["random_gamma", "random.gamma"])
def gamma(
    shape: ShapeLike,
    alpha: Any,
    beta: Any = None,
    dtype: DTypeLike = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Gamma-distributed numbers of shape (*shape, *alpha.shape)."""
    kind = as_dtype(dtype).dtype
    concentration = tensor(alpha).astype(kind)
    with allow_x64(kind):
        drawn = jax.random.gamma(
            _key(seed, "RandomGamma"), concentration, (*static_shape(shape), *concentration.shape), kind
        )
    return drawn if beta is None else drawn / tensor(beta).astype(kind)


@exported("random.poisson", v1=())
def poisson(
    shape: ShapeLike, lam: Any, dtype: DTypeLike = float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Poisson-distributed numbers of shape (*shape, *lam.shape)."""
    rate = tensor(lam)
    return jax.random.poisson(_key(seed, "RandomPoisson"), rate, (*static_shape(shape), *rate.shape)).astype(
        as_dtype(dtype).dtype
    )


name_results(globals())
