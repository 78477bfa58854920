"""Activations of TensorFlow Addons."""

from typing import Any

import keras

from stratagem import _ops as ops
from stratagem._base.exports import exported


@exported("addons.activations.gelu")
def gelu(x: Any, approximate: bool = True) -> Any:
    """Returns x · P(N ≤ x) of a normal variable N (Hendrycks and Gimpel 2016, arXiv:1606.08415), by default with a tanh."""
    return ops.gelu(x, approximate)


@exported("addons.activations.hardshrink")
def hardshrink(x: Any, lower: float = -0.5, upper: float = 0.5) -> Any:
    """Returns x, and 0 between two bounds. Raises ValueError where they are in the wrong order."""
    x = ops.convert_to_tensor(x)
    _demand_order(lower, upper)
    return ops.where((x < lower) | (x > upper), x, ops.zeros_like(x))


@exported("addons.activations.lisht")
def lisht(x: Any) -> Any:
    """Returns x · tanh(x) (Roy et al. 2019, arXiv:1901.05894)."""
    return x * ops.tanh(x)


@exported("addons.activations.mish")
def mish(x: Any) -> Any:
    """Returns x · tanh(softplus(x)) (Misra 2019, arXiv:1908.08681)."""
    return x * ops.tanh(ops.softplus(x))


@exported("addons.activations.rrelu")
def rrelu(
    x: Any,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool | None = None,
    seed: int | None = None,
    rng: Any = None,
) -> Any:
    """Returns x, and a · x where x is negative (Xu et al. 2015, arXiv:1505.00853).

    While training, a is drawn between the bounds for every element (by `rng.uniform` if a generator is given);
    else it is their mean.
    """
    x = ops.convert_to_tensor(x)
    if not training:
        slope: Any = (lower + upper) / 2
    elif rng is not None:
        slope = rng.uniform(ops.shape(x), minval=lower, maxval=upper, dtype=x.dtype)
    else:
        slope = keras.random.uniform(tuple(x.shape), lower, upper, ops.as_dtype(x.dtype).name, seed)
    return ops.where(x >= 0, x, slope * x)


@exported("addons.activations.snake")
def snake(x: Any, frequency: float = 1) -> Any:
    """Returns x + (1 - cos(2 f x)) / (2 f) for the frequency f (Ziyin et al. 2020, arXiv:2006.08195)."""
    x = ops.convert_to_tensor(x)
    return x + (1 - ops.cos(2 * frequency * x)) / (2 * frequency)


@exported("addons.activations.softshrink")
def softshrink(x: Any, lower: float = -0.5, upper: float = 0.5) -> Any:
    """Returns x less the bound that it passes; 0 between the bounds. Raises ValueError where they are in the wrong order."""
    x = ops.convert_to_tensor(x)
    _demand_order(lower, upper)
    return ops.where(x < lower, x - lower, ops.where(x > upper, x - upper, ops.zeros_like(x)))


@exported("addons.activations.sparsemax")
def sparsemax(logits: Any, axis: int = -1) -> Any:
    """Returns the nearest probabilities along a dimension, many of which are 0 (arXiv:1602.02068)."""
    z = ops.convert_to_tensor(logits)
    ordered = ops.sort(z, axis, "DESCENDING")
    sums = ops.cumsum(ordered, axis)
    shape = [1] * len(z.shape)
    shape[axis] = -1
    ranks = ops.reshape(ops.range(1, z.shape[axis] + 1, dtype=z.dtype), shape)
    support = 1 + ranks * ordered > sums
    size = ops.reduce_sum(ops.cast(support, z.dtype), axis, True)
    total = ops.reduce_sum(ops.where(support, ordered, ops.zeros_like(ordered)), axis, True)
    return ops.maximum(ops.zeros_like(z), z - (total - 1) / size)


@exported("addons.activations.tanhshrink")
def tanhshrink(x: Any) -> Any:
    """Returns x - tanh(x)."""
    return x - ops.tanh(x)


def _demand_order(lower: float, upper: float) -> None:
    if lower > upper:
        raise ValueError(
            f"The value of lower is {lower} and should not be higher than the value variable upper, which is {upper} ."
        )
