"""Random numbers with TensorFlow 1's names and arguments; in a model_fn, a variable may begin with them."""

from collections.abc import Callable
from typing import Any

import jax

from stratagem import ops
from stratagem._context import current
from stratagem.graph.functions._named import named
from stratagem.ops import Tensor, sampling


def _drawn(numbers: Tensor, again: Callable[[Any], Tensor], *arguments: Any) -> Tensor:
    """`numbers`, of which the present call of a model_fn knows how they are drawn: again(seed), outside of its trace."""
    building = current().graph
    if building is not None and not any(isinstance(one, jax.core.Tracer) for one in jax.tree.leaves(arguments)):
        building.draws[id(numbers)] = numbers, again
    return numbers


@named
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ops.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers."""
    numbers = sampling.normal(shape, mean, stddev, dtype, seed)
    again = lambda own: sampling.stateless_normal(shape, own(seed), mean, stddev, dtype)  # noqa: E731
    return _drawn(numbers, again, shape, mean, stddev)


@named
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ops.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers within two standard deviations."""
    numbers = sampling.truncated_normal(shape, mean, stddev, dtype, seed)
    again = lambda own: sampling.stateless_truncated_normal(shape, own(seed), mean, stddev, dtype)  # noqa: E731
    return _drawn(numbers, again, shape, mean, stddev)


@named
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = ops.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers in [minval, maxval), all as likely; for integers `maxval` must be given, else ValueError."""
    numbers = sampling.uniform(shape, minval, maxval, dtype, seed)
    again = lambda own: sampling.stateless_uniform(shape, own(seed), minval, maxval, dtype)  # noqa: E731
    return _drawn(numbers, again, shape, minval, maxval)


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Class numbers drawn with the probabilities softmax(logits): (n, classes) to (n, num_samples), int64 if not given."""
    return sampling.categorical(logits, num_samples, ops.int64 if output_dtype is None else output_dtype, seed)


@named
def poisson(lam: Any, shape: Any, dtype: Any = ops.float32, seed: int | None = None, name: str | None = None) -> Tensor:
    """Counts of events that come at the rate `lam`: (*shape, *lam.shape). TensorFlow 2 has the shape first."""
    return sampling.poisson(shape, lam, dtype, seed)
