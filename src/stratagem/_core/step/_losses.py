"""Losses in a step of the trainer: every replica sees the loss of the global batch, and its gradient is the replica's own part.

The gradients, which the optimizer sums over replicas, are then those of one device with all rows, whatever number of rows a
replica has. Elsewhere losses are Keras' own.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import current, recording
from stratagem._core.mesh import AXIS
from stratagem._core.step._sums import unfolded
from stratagem._private import intercept_loss_reduction

_MEANS = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


def _apart() -> bool:
    """True where several replicas hold the rows of one batch and nobody else has put their losses together."""
    context = current()
    return context.rows is not None and context.recorder is not None and context.recorder.mesh.num_replicas > 1


def whole(part: Any) -> Any:
    """The sum of all replicas' parts of a loss. Its gradient is that of this replica's part: other code sums gradients."""
    # Added last, the zero leaves the value exactly the sum.
    return jax.lax.psum(unfolded(jax.lax.stop_gradient(part)), AXIS) + (part - jax.lax.stop_gradient(part))


def everywhere(count: int) -> Any:
    """A number of rows, or of losses, summed over all replicas: a Python number while all have as many."""
    recorder = recording()
    if recorder.even:
        return count * recorder.mesh.num_replicas
    return jax.lax.psum(unfolded(jnp.asarray(count, jnp.int32)), AXIS)


def _divided(total: Any, count: Any) -> Any:
    return keras.ops.divide_no_nan(total, keras.ops.cast(count, total.dtype))


def _reduce(values: Any, sample_weight: Any, reduction: str | None, original: Callable[..., Any]) -> Any:
    per_example = reduction is None or reduction == "none"
    if not per_example and tuple(values.shape) == (0,) and not _apart():
        return keras.ops.sum(values)  # 0, as in TF: Keras hands out the empty array
    if per_example or not _apart():
        return original(values, sample_weight, reduction)
    if not values.shape:
        return _mean_of_rows(values) if reduction in _MEANS else whole(values)
    total = keras.ops.sum(values)
    if reduction == "mean_with_sample_weight" and sample_weight is not None:
        return whole(_divided(total, jax.lax.psum(unfolded(keras.ops.sum(sample_weight)), AXIS)))
    return whole(_divided(total, everywhere(values.size)) if reduction in _MEANS else total)


def _weigh(sample_weight: Any, mask: Any, original: Callable[..., Any]) -> Any:
    """Under a mean, valid entries of a masked loss weigh as much more as there are fewer of them, in the global batch."""
    if not _apart():
        return original(sample_weight, mask, reduction="mean")
    weights = original(sample_weight, mask, reduction="sum")
    valid = jax.lax.psum(unfolded(keras.ops.sum(keras.ops.cast(mask, weights.dtype))), AXIS)
    return weights * keras.ops.divide_no_nan(keras.ops.cast(everywhere(mask.size), weights.dtype), valid)


def of_batch(value: Any) -> Any:
    """What a float number of this replica's rows, taken as a mean over them, is for the global batch."""
    inexact = hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.inexact)
    return _mean_of_rows(value) if inexact and _apart() else value


def _mean_of_rows(value: Any) -> Any:
    rows = current().rows
    assert rows is not None  # as `_apart` says
    weight = _divided(jnp.asarray(rows, value.dtype), everywhere(rows))
    return whole(value * weight if rows else jnp.zeros_like(value))  # a mean over no rows is NaN


def _regularization(loss: Any) -> Any:
    """A function of the weights alone: equal on all replicas, so each has an equal part of its gradient."""
    if not _apart():
        return loss
    fixed = jax.lax.stop_gradient(loss)
    return fixed + (loss - fixed) / recording().mesh.num_replicas


def attach_losses() -> None:
    """Let Keras' losses, in the trainer's step on several replicas, be parts of that of the global batch."""
    intercept_loss_reduction(reduce=_reduce, weigh=_weigh, added=of_batch, regularization=_regularization)
