"""Loss scaling over replicas: `tf.nn.compute_average_loss` and `tf.nn.scale_regularization_loss`."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import ContextError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._ops._convert import Tensor, is_traced, tensor


@exported("nn.compute_average_loss")
def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """The sum of (weighted) losses divided by the global batch size: a scalar; 0/0 is 0, integers give float64.

    The default for `global_batch_size` is the number of local examples times the number of replicas. With more than one
    dimension, everything is summed and only dimension 0 counts as examples.

    Raises: ValueError for a scalar loss or a batch size that is not a scalar; TypeError for one that is not an integer;
    InvalidArgumentError for a negative one; ContextError without one in a cross-replica context.
    """
    loss = tensor(per_example_loss)
    if not loss.ndim:
        raise ValueError(f"per_example_loss has one value per example: rank 1 at least, got the scalar {loss}.")
    if not jnp.issubdtype(loss.dtype, np.inexact):
        loss = loss.astype(np.float64)
    if sample_weight is not None:
        loss = _weighted(loss, sample_weight)
    if global_batch_size is None:
        return _quotient(loss, np.asarray(loss.shape[0] * _replicas("compute_average_loss")))
    return _quotient(loss, _checked_size(global_batch_size))


@exported("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of the losses divided by the number of replicas, over which it will be summed; integers give float64.

    Raises ContextError in a cross-replica context.
    """
    loss = tensor(regularization_loss)
    if not jnp.issubdtype(loss.dtype, np.inexact):
        loss = loss.astype(np.float64)
    return jnp.sum(loss) / _replicas("scale_regularization_loss")


def _replicas(function: str) -> int:
    context = current()
    if context.replica is not None:
        return int(context.replica.num_replicas_in_sync)
    if context.crossing:
        hint = ", or pass global_batch_size" if function == "compute_average_loss" else ""
        raise ContextError(
            f"tf.nn.{function} was called in a cross-replica context, where there is no local batch. "
            f"Call it in the function that strategy.run runs{hint}."
        )
    return 1


def _weighted(loss: Tensor, sample_weight: Any) -> Tensor:
    weight = tensor(sample_weight).astype(loss.dtype)
    if weight.ndim == loss.ndim + 1:
        if weight.shape[-1] != 1:
            raise InvalidArgumentError(f"sample_weight of shape {weight.shape} does not fit losses {loss.shape}.")
        weight = weight[..., 0]
    if 0 < weight.ndim == loss.ndim - 1:
        weight = weight[..., None]
    return loss * weight


def _checked_size(value: Any) -> Tensor:
    size = tensor(value)
    if size.ndim:
        raise ValueError(f"global_batch_size is one number, got a tensor of shape {size.shape}.")
    if not jnp.issubdtype(size.dtype, np.integer):
        raise TypeError(f"global_batch_size is a whole number, got {value!r} of {size.dtype}.")
    if not is_traced(size) and int(size) < 0:
        raise InvalidArgumentError(f"global_batch_size cannot be negative, got {int(size)}.")
    return size


def _quotient(loss: Tensor, count: Any) -> Tensor:
    # A batch of 70000 does not fit float16, so half-precision losses are divided in float32.
    wide = jnp.promote_types(loss.dtype, np.float32)
    divisor = jnp.asarray(count, dtype=wide)
    total = jnp.sum(loss.astype(wide))
    return jnp.where(divisor == 0, 0, total / jnp.where(divisor == 0, 1, divisor)).astype(loss.dtype)
