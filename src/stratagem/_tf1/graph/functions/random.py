"""Random numbers with TensorFlow 1's names and arguments; in a model_fn they may be the initial value of a variable."""

from collections.abc import Callable
from typing import Any

import jax

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops import Tensor, named, sampling
from stratagem._tf1.graph._model_build import building_here


def _drawn(
    draw: Callable[..., Tensor],
    again: Callable[..., Tensor],
    shape: Any,
    one: Any,
    other: Any,
    dtype: Any,
    seed: int | None,
) -> Tensor:
    """Returns `draw(shape, one, other, dtype, seed)`, and notes in a model_fn how to draw such numbers outside of the trace.

    again: draws them there, as again(shape, seeds, one, other, dtype).
    """
    numbers, building = draw(shape, one, other, dtype, seed), building_here()
    if building is not None and not any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves((shape, one, other))):
        building.draws[id(numbers)] = numbers, lambda own: again(shape, own(seed), one, other, dtype)
    return numbers


@exported(v1=["random_normal", "random.normal", "random.random_normal"])
@named
def normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = ops.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns numbers from a normal distribution."""
    return _drawn(sampling.normal, sampling.stateless_normal, shape, mean, stddev, dtype, seed)


@exported(v1=["truncated_normal", "random.truncated_normal"])
@named
def truncated_normal(
    shape: ShapeLike,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = ops.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns numbers from a normal distribution truncated at two standard deviations."""
    return _drawn(sampling.truncated_normal, sampling.stateless_truncated_normal, shape, mean, stddev, dtype, seed)


@exported(v1=["random_uniform", "random.random_uniform", "random.uniform"])
@named
def uniform(
    shape: ShapeLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = ops.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns numbers from the uniform distribution over [minval, maxval). Raises ValueError for integers without `maxval`."""
    return _drawn(sampling.uniform, sampling.stateless_uniform, shape, minval, maxval, dtype, seed)


@exported(v1=["multinomial", "random.multinomial"])
@named
def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> Tensor:
    """Returns classes drawn with probabilities softmax(logits): (n, classes) to (n, num_samples), by default int64."""
    return sampling.categorical(logits, num_samples, ops.int64 if output_dtype is None else output_dtype, seed)


@exported(v1=["random_poisson", "random.poisson", "random.random_poisson"])
@named
def poisson(
    lam: Any, shape: ShapeLike, dtype: DTypeLike = ops.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Returns Poisson-distributed counts with the rate `lam`: (*shape, *lam.shape). In TensorFlow 2 the shape comes first."""
    return sampling.poisson(shape, lam, dtype, seed)
