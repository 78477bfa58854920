"""`tf.random.stateless_*` of distributions whose numbers are JAX's: binomial, gamma, Poisson, normal within bounds.

TensorFlow draws them by rejection, in an order that nothing documents. Here as there they depend on the seed alone.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops._convert import Tensor, allow_x64, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, float32, int32
from stratagem._ops._known_values import get_static_value
from stratagem._ops._symbolic import name_results
from stratagem._ops.sampling._algorithms import stateless_stream
from stratagem._ops.sampling._keyed_sampling import key_of
from stratagem._ops.sampling._philox import words

_COUNTS = ("float16", "float32", "float64", "int32", "int64")
_FLOATS = ("float16", "float32", "float64")


@exported("random.stateless_binomial")
def stateless_binomial(
    shape: ShapeLike,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Returns the numbers of successes in `counts` trials with probability `probs`, which broadcast to the end of `shape`.

    Raises InvalidArgumentError for another seed than two integers, a shape that does not end so, and other dtypes than
    float16, float32, float64, int32 and int64.
    """
    kind = _kind(output_dtype, _COUNTS)
    trials, chance = tensor(counts).astype(np.float32), tensor(probs).astype(np.float32)
    sizes = _sizes(shape, trials, chance)
    # Without a trial, or with an impossible or a certain success, there is nothing to draw.
    drawn = jax.random.binomial(_key(seed), jnp.maximum(trials, 0), jnp.clip(chance, 0, 1), sizes)
    return drawn.astype(kind)


@exported("random.stateless_gamma")
def stateless_gamma(
    shape: ShapeLike,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Returns gamma-distributed numbers of concentration `alpha` and rate `beta` (1), which broadcast to the end of `shape`.

    They have derivatives in alpha (implicit ones) and beta; they are NaN where alpha is negative or NaN. Raises
    InvalidArgumentError as `stateless_binomial` does, for other dtypes than float16, float32 and float64.
    """
    kind = _kind(dtype, _FLOATS)
    concentration, rate = tensor(alpha).astype(kind), tensor(1 if beta is None else beta).astype(kind)
    sizes = _sizes(shape, concentration, rate)
    with allow_x64(kind):
        drawn = jax.random.gamma(_key(seed), concentration, sizes, kind)
    known = jnp.where(concentration >= 0, jnp.maximum(drawn, np.finfo(kind).tiny), np.nan)
    return (known / rate).astype(kind)


@exported("random.stateless_poisson")
def stateless_poisson(
    shape: ShapeLike, seed: Any, lam: Any, dtype: DTypeLike = int32, name: str | None = None
) -> Tensor:
    """Returns Poisson-distributed numbers of rate `lam`, whose shape `shape` ends with; 0 where the rate is not positive.

    Raises InvalidArgumentError as `stateless_binomial` does.
    """
    kind = _kind(dtype, _COUNTS)
    rate = tensor(lam).astype(np.float32)
    drawn = jax.random.poisson(_key(seed), jnp.maximum(rate, 0), _sizes(shape, rate))
    return drawn.astype(kind)


@exported("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Returns normal numbers between `minvals` and `maxvals`, which broadcast with the others to the end of `shape`.

    All four have one dtype, float16, float32 or float64, which the numbers have too. Raises InvalidArgumentError as
    `stateless_binomial` does, and for known parameters without a positive deviation and finite bounds in this order.
    """
    parameters = [tensor(p) for p in (means, stddevs, minvals, maxvals)]
    kind = _kind(parameters[0].dtype, _FLOATS)
    if any(p.dtype != kind for p in parameters):
        raise InvalidArgumentError(
            f"means, stddevs, minvals and maxvals have one dtype, got {', '.join(str(p.dtype) for p in parameters)}."
        )
    sizes = _sizes(shape, *parameters)
    _check_bounds(*parameters)
    mean, deviation, low, high = parameters
    with allow_x64(kind):
        unit = jax.random.truncated_normal(_key(seed), (low - mean) / deviation, (high - mean) / deviation, sizes, kind)
        return jnp.clip(unit * deviation + mean, low, high)


def _check_bounds(mean: Tensor, deviation: Tensor, low: Tensor, high: Tensor) -> None:
    known = [get_static_value(p) for p in (deviation, low, high)]
    if any(p is None for p in known):
        return
    positive, least, most = (np.asarray(p, np.float64) for p in known)
    if not (np.all(positive > 0) and np.all(least < most) and np.all(np.isfinite(least) & np.isfinite(most))):
        raise InvalidArgumentError(
            f"stddevs are positive and minvals below maxvals, both finite; got stddevs={positive}, minvals={least} and "
            f"maxvals={most}."
        )


def _kind(dtype: DTypeLike, allowed: tuple[str, ...]) -> np.dtype:
    kind = as_dtype(dtype).dtype
    if kind.name not in allowed:
        raise InvalidArgumentError(f"The numbers are of dtype {', '.join(allowed)}, not {kind.name}.")
    return kind


def _sizes(shape: ShapeLike, *parameters: Tensor) -> tuple[int, ...]:
    """Returns the shape, which ends with what the parameters broadcast to."""
    sizes, end = static_shape(shape), jnp.broadcast_shapes(*(p.shape for p in parameters))
    if len(sizes) < len(end) or sizes[len(sizes) - len(end) :] != end:
        raise InvalidArgumentError(f"The shape {sizes} does not end with {end}, to which the parameters broadcast.")
    return sizes


def _key(seed: Any) -> jax.Array:
    return key_of(words(stateless_stream(seed), 2))


name_results(globals())
