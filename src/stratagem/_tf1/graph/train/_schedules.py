"""tf1.train: learning rate schedules, as functions of the global step."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import Tensor, tensor
from stratagem._tf1.graph._function_wrappers import titled


def _parts(learning_rate: Any, global_step: Any, decay_steps: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Returns all three in the dtype of the rate. Raises ValueError if the step is None."""
    if global_step is None:
        raise ValueError("global_step is required: tf.compat.v1.train.get_global_step().")
    rate = tensor(learning_rate)
    rate = rate if jnp.issubdtype(rate.dtype, np.floating) else rate.astype(np.float32)
    return rate, tensor(global_step).astype(rate.dtype), tensor(decay_steps).astype(rate.dtype)


def _decay(formula: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """Makes a schedule from its formula, a function of the initial rate, the decay rate, and the number of decays so far."""

    def schedule(
        learning_rate: Any,
        global_step: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> Tensor:
        rate, step, steps = _parts(learning_rate, global_step, decay_steps)
        decays = jnp.floor(step / steps) if staircase else step / steps
        return formula(rate, tensor(decay_rate).astype(rate.dtype), decays)

    return titled(schedule, formula.__name__, formula.__doc__)


@exported(v1=["train.exponential_decay"])
@_decay
def exponential_decay(rate: Tensor, decay_rate: Tensor, decays: Tensor) -> Tensor:
    """Returns learning_rate * decay_rate ** (global_step / decay_steps). staircase: rounds the exponent down."""
    return rate * jnp.power(decay_rate, decays)


@exported(v1=["train.natural_exp_decay"])
@_decay
def natural_exp_decay(rate: Tensor, decay_rate: Tensor, decays: Tensor) -> Tensor:
    """Returns learning_rate * exp(-decay_rate * global_step / decay_steps).

    staircase: rounds global_step / decay_steps down.
    """
    return rate * jnp.exp(-decay_rate * decays)


@exported(v1=["train.inverse_time_decay"])
@_decay
def inverse_time_decay(rate: Tensor, decay_rate: Tensor, decays: Tensor) -> Tensor:
    """Returns learning_rate / (1 + decay_rate * global_step / decay_steps).

    staircase: rounds global_step / decay_steps down.
    """
    return rate / (1 + decay_rate * decays)


@exported(v1=["train.piecewise_constant", "train.piecewise_constant_decay"])
def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Tensor:
    """Returns values[0] while x <= boundaries[0], then values[1] while x <= boundaries[1], …, and at last values[-1].

    Raises ValueError unless there is one value more than boundaries, and all values have one dtype.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            f"The length of boundaries should be 1 less than the length of values: {boundaries}, {values}."
        )
    step, rates = tensor(x), [tensor(value) for value in values]
    for rate in rates[1:]:
        if rate.dtype != rates[0].dtype:
            raise ValueError(
                f"Values must have elements all with the same dtype ({rates[0].dtype} vs {rate.dtype}): {values}. Write 0.0, "
                "not 0, for a float."
            )
    found = rates[-1]
    for boundary, rate in zip(reversed(boundaries), reversed(rates[:-1]), strict=True):
        found = jnp.where(step <= tensor(boundary).astype(step.dtype), rate, found)
    return found


@exported(v1=["train.polynomial_decay"])
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns a rate that falls from learning_rate to end_learning_rate in decay_steps.

    cycle: starts again at the end, each time from a lower rate and over more steps.
    """
    rate, step, steps = _parts(learning_rate, global_step, decay_steps)
    end = tensor(end_learning_rate).astype(rate.dtype)
    if cycle:
        steps = steps * jnp.where(step == 0, 1.0, jnp.ceil(step / steps)).astype(rate.dtype)
    else:
        step = jnp.minimum(step, steps)
    return (rate - end) * jnp.power(1 - step / steps, tensor(power).astype(rate.dtype)) + end


@exported(v1=["train.cosine_decay"])
def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Tensor:
    """Returns a rate that falls along half a cosine from learning_rate to alpha * learning_rate in decay_steps."""
    rate, step, steps = _parts(learning_rate, global_step, decay_steps)
    wave = 0.5 * (1 + jnp.cos(math.pi * jnp.minimum(step, steps) / steps))
    return rate * ((1 - alpha) * wave + alpha)


@exported(v1=["train.cosine_decay_restarts"])
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Returns a cosine decay that starts again, each time for t_mul times as many steps, from m_mul times the rate."""
    rate, step, steps = _parts(learning_rate, global_step, first_decay_steps)
    done = step / steps
    if t_mul == 1.0:
        restart = jnp.floor(done)
        done = done - restart
    else:
        restart = jnp.floor(jnp.log(1 - done * (1 - t_mul)) / math.log(t_mul))
        done = (done - (1 - t_mul**restart) / (1 - t_mul)) / t_mul**restart
    wave = 0.5 * m_mul**restart * (1 + jnp.cos(math.pi * done))
    return rate * ((1 - alpha) * wave + alpha)


@exported(v1=["train.linear_cosine_decay"])
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Tensor:
    """Returns a rate that falls linearly to 0 in decay_steps, times a cosine of num_periods."""
    rate, step, steps = _parts(learning_rate, global_step, decay_steps)
    step = jnp.minimum(step, steps)
    wave = 0.5 * (1 + jnp.cos(math.pi * 2.0 * num_periods * step / steps))
    return rate * ((alpha + (steps - step) / steps) * wave + beta)
