"""Loss scaling in the form of TensorFlow: `get_scaled_loss` and `get_unscaled_gradients` around a tape."""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from stratagem._private import add_loss_scaling


def _scale(optimizer: Any) -> Any:
    """The present scale: until the first update the initial one."""
    return optimizer.dynamic_scale.value if optimizer.built else jnp.asarray(optimizer.initial_scale, jnp.float32)


def get_scaled_loss(self: Any, loss: Any | Callable[[], Any]) -> Any | Callable[[], Any]:
    """Returns the loss times the scale; for a function that returns a loss, one that returns the scaled loss."""
    object.__setattr__(self, "_scaled_by_keras", False)
    if callable(loss):
        return lambda: self.get_scaled_loss(loss())
    return loss * jnp.asarray(_scale(self), jnp.asarray(loss).dtype)


def get_unscaled_gradients(self: Any, grads: Sequence[Any]) -> list[Any]:
    """Returns the gradients divided by the scale; None where there is none."""
    object.__setattr__(self, "_scaled_by_keras", False)
    inverse = 1.0 / _scale(self)
    return [None if g is None else g * jnp.asarray(inverse, g.dtype) for g in grads]


def _scaled_again(optimizer: Any, grads: list[Any]) -> list[Any]:
    """Returns the gradients as Keras wants them: it divides by the scale what TensorFlow's programs have divided.

    Gradients of what Keras' own `scale_loss` returned are scaled already.
    """
    if optimizer._scaled_by_keras:
        return grads
    scale = _scale(optimizer)
    return [None if g is None else g * jnp.asarray(scale, g.dtype) for g in grads]


def attach_loss_scaling() -> None:
    """Give `LossScaleOptimizer` TensorFlow's methods; `apply_gradients` takes gradients that were unscaled."""
    add_loss_scaling(
        {
            "get_scaled_loss": get_scaled_loss,
            "get_unscaled_gradients": get_unscaled_gradients,
            "loss_scale": property(_scale, doc="The present scale, a tensor."),
            "dynamic": property(lambda self: True, doc="True: the scale follows the gradients."),
            "dynamic_counter": property(
                lambda self: self.step_counter if self.built else jnp.asarray(0),
                doc="The steps since the scale changed.",
            ),
        },
        _scaled_again,
    )
