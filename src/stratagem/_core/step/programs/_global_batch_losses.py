"""Losses in a step of the trainer: every replica gets the loss of the global batch, with the gradient of its own part.

The sum of the gradients over replicas, which the optimizer computes, is then that of one device with all rows, for any
distribution of the rows. Elsewhere losses are Keras' own.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import current, recording
from stratagem._core.step.collectives._sums import psum, unfolded
from stratagem._private import intercept_loss_reduction

_MEANS = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


def _is_split() -> bool:
    """Returns whether several replicas have rows of one batch, so that their losses have to be combined here."""
    context = current()
    return context.rows is not None and context.recorder is not None and context.recorder.mesh.num_replicas > 1


def total_loss(part: Any) -> Any:
    """Returns the sum of all replicas' parts of a loss, with the gradient of this replica's part only."""
    # The last term is zero and comes last, so that the value is exactly the sum.
    return psum(unfolded(jax.lax.stop_gradient(part))) + (part - jax.lax.stop_gradient(part))


def total_count(count: int) -> Any:
    """Sums a number of rows or losses over all replicas; returns a Python number if all have equally many."""
    recorder = recording()
    if recorder.even:
        return count * recorder.mesh.num_replicas
    return psum(unfolded(jnp.asarray(count, jnp.int32)))


def _divided(total: Any, count: Any) -> Any:
    return keras.ops.divide_no_nan(total, keras.ops.cast(count, total.dtype))


def _reduce(values: Any, sample_weight: Any, reduction: str | None, original: Callable[..., Any]) -> Any:
    per_example = reduction is None or reduction == "none"
    if not per_example and tuple(values.shape) == (0,) and not _is_split():
        return keras.ops.sum(values)  # 0, as in TF; Keras would return the empty array
    if per_example or not _is_split():
        return original(values, sample_weight, reduction)
    if not values.shape:
        return _mean_of_rows(values) if reduction in _MEANS else total_loss(values)
    total = keras.ops.sum(values)
    if reduction == "mean_with_sample_weight" and sample_weight is not None:
        return total_loss(_divided(total, psum(unfolded(keras.ops.sum(sample_weight)))))
    return total_loss(_divided(total, total_count(values.size)) if reduction in _MEANS else total)


def _weigh(sample_weight: Any, mask: Any, original: Callable[..., Any]) -> Any:
    """Scales the weights of a masked mean loss by the inverse share of valid entries in the global batch."""
    if not _is_split():
        return original(sample_weight, mask, reduction="mean")
    weights = original(sample_weight, mask, reduction="sum")
    valid = psum(unfolded(keras.ops.sum(keras.ops.cast(mask, weights.dtype))))
    return weights * keras.ops.divide_no_nan(keras.ops.cast(total_count(mask.size), weights.dtype), valid)


def of_batch(value: Any) -> Any:
    """Converts a mean over this replica's rows to the mean over the global batch; returns other values as they are."""
    inexact = hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.inexact)
    return _mean_of_rows(value) if inexact and _is_split() else value


def _mean_of_rows(value: Any) -> Any:
    rows = current().rows
    assert rows is not None  # `_is_split` checks it
    weight = _divided(jnp.asarray(rows, value.dtype), total_count(rows))
    return total_loss(value * weight if rows else jnp.zeros_like(value))  # a mean over no rows would be NaN


def _regularization(loss: Any) -> Any:
    """Gives each replica an equal part of the gradient of a loss that depends on the weights only, and so is equal on all."""
    if not _is_split():
        return loss
    fixed = jax.lax.stop_gradient(loss)
    return fixed + (loss - fixed) / recording().mesh.num_replicas


def attach_losses() -> None:
    """Let Keras' losses, in the trainer's step on several replicas, be parts of that of the global batch."""
    intercept_loss_reduction(reduce=_reduce, weigh=_weigh, added=of_batch, regularization=_regularization)
