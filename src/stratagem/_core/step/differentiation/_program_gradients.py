"""`tf.gradients` and `tf.hessians`: derivatives of what a compiled step has computed so far, without an open tape."""

from collections.abc import Sequence
from typing import Any

import jax

from stratagem._base.errors import TapeError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.step.differentiation._gradient_tape import GradientTape, UnconnectedGradients, tape_of_program
from stratagem._private import KerasVariable


@exported("gradients", v1=())
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: Any = None,
    unconnected_gradients: str = UnconnectedGradients.NONE,
) -> list[Any]:
    """Returns the gradient of the sum of all `ys` with respect to every one of `xs`, in a list also for a single one.

    ys: tensors. xs: variables, or tensors that the function computed from its arguments or from variables.
    grad_ys: factors of the elements of `ys`, in their structure; None stands for ones.
    stop_gradients: variables and tensors that count as constants.
    unconnected_gradients: what an x has on which no y depends: None, or zeros. The others have no effect.

    Raises:
        RuntimeError: outside of a `tf.function`, as in TensorFlow.
        TapeError: an x is a constant of the function. TensorFlow keeps the operations on those, here they are computed at once.
    """
    tape = _tape("tf.gradients", [xs, stop_gradients], _listed(stop_gradients))
    return tape.gradient(_listed(ys), _listed(xs), None if grad_ys is None else _listed(grad_ys), unconnected_gradients)


@exported("hessians", v1=())
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> list[Any]:
    """Returns the second derivatives of the sum of all `ys`: for every x of `xs` an array of the shape (*x.shape, *x.shape).

    Raises: as `gradients`; ValueError for an x on which no y depends.
    """
    sources = _listed(xs)
    found = []
    for x, slope in zip(sources, gradients(ys, sources), strict=True):
        if slope is None:
            raise ValueError(f"tf.hessians: no y depends on {getattr(x, 'name', x)}.")
        found.append(_tape("tf.hessians", [x], []).jacobian(slope, x, UnconnectedGradients.ZERO))
    return found


def _listed(values: Any) -> list[Any]:
    return jax.tree.leaves(values, is_leaf=lambda v: v is None) if values is not None else []


def _tape(what: str, sources: Any, stops: Sequence[Any]) -> GradientTape:
    recorder = current().recorder
    if recorder is None or recorder.eager:
        raise RuntimeError(
            f"{what} is not supported when eager execution is enabled. Use tf.GradientTape instead, or call it in a "
            "tf.function."
        )
    for leaf in jax.tree.leaves(sources):
        if not isinstance(leaf, KerasVariable | jax.core.Tracer):
            raise TapeError(
                f"{what}: {leaf!r} is a constant of this function, and what is computed from constants is computed at once. "
                "Use tf.GradientTape and tape.watch, or pass it to the function."
            )
    return tape_of_program(recorder, stops)
