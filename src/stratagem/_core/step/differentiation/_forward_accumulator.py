"""`tf.autodiff.ForwardAccumulator`: Jacobian-vector products, computed beside the operations themselves."""

import logging
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.errors import TapeError
from stratagem._base.exports import exported
from stratagem._core.eager import ForwardTangents
from stratagem._core.step.differentiation._gradient_tape import UnconnectedGradients, wants_zeros
from stratagem._private import KerasVariable

logger = logging.getLogger("stratagem")


@exported("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Pushes tangents forward through the operations of its block, as `tf.autodiff.ForwardAccumulator`.

    primals: a tensor, a variable, or a structure of them. tangents: their directions, in the same structure.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._primals: list[Any] = []
        self._tangents: list[Any] = []
        jax.tree.map(self._add, primals, tangents)
        self._accumulator: ForwardTangents | None = None
        self._recording = False

    def __enter__(self) -> "ForwardAccumulator":
        if self._recording:
            raise ValueError("ForwardTangents is already recording.")
        self._accumulator = ForwardTangents(self._primals, self._tangents)
        self._recording = True
        return self

    def __exit__(self, *error: object) -> None:
        self._recording = False
        assert self._accumulator is not None
        self._accumulator.close()

    def jvp(self, primals: Any, unconnected_gradients: str = UnconnectedGradients.NONE) -> Any:
        """Returns the product of the Jacobian of `primals`, computed in the block, and the tangents.

        The result has the structure of `primals`; an entry is None for a tensor that does not depend on the accumulator's
        primals (zeros with `unconnected_gradients="zero"`).
        """
        accumulator = self._accumulator
        if accumulator is None:
            raise ValueError(
                "Called jvp() without first tracing anything: compute in `with ForwardAccumulator(...) as acc:`."
            )

        def tangent(leaf: Any) -> Any:
            found = accumulator.tangent(leaf)
            return jnp.zeros_like(leaf) if found is None and wants_zeros(unconnected_gradients) else found

        return jax.tree.map(tangent, primals)

    def _add(self, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, KerasVariable | jax.Array):
            raise TapeError(
                f"A ForwardAccumulator watches tensors and variables, not {primal!r}: make it a tensor with tf.constant."
            )
        if any(p is primal for p in self._primals):
            raise ValueError(
                f"Tensor {primal} was specified as a primal multiple times. This may indicate an error. If it was intended, "
                "please sum the corresponding tangents."
            )
        dtype = jnp.dtype(getattr(primal.dtype, "name", primal.dtype))
        if not jnp.issubdtype(dtype, jnp.inexact):
            logger.warning("The dtype of the watched primal must be floating (e.g. tf.float32), got %s", dtype)
            return
        tangent = jnp.asarray(tangent, dtype)
        if tangent.shape != tuple(primal.shape):
            raise ValueError(
                f"ForwardAccumulator: the tangent of a primal of shape {tuple(primal.shape)} has shape {tuple(tangent.shape)}."
            )
        self._primals.append(primal)
        self._tangents.append(tangent)
