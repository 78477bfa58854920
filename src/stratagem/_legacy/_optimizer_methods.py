"""Methods that optimizers of Keras 2 have beside those of Keras 3: `minimize`, and arguments of TensorFlow's time."""

import inspect
import logging
from collections.abc import Callable
from typing import Any

import keras

from stratagem._core.step import GradientTape
from stratagem._private import add_optimizer_methods, is_loss_scaler

log = logging.getLogger("stratagem.keras")

GradsAndVars = list[tuple[Any, keras.Variable]]
_OF_LEGACY = ("decay", "gradient_aggregator", "gradient_transformers")
# Arguments of every optimizer in TensorFlow: XLA compiles everything here, and the second only marks files.
_OF_KERAS = frozenset(inspect.signature(keras.optimizers.Optimizer.__init__).parameters)
_WITHOUT_MEANING = ("jit_compile", "is_legacy_optimizer")


def gradients_of(
    loss: Any | Callable[[], Any],
    var_list: Any,
    tape: GradientTape | None,
    scaled: Callable[[Any], Any] = lambda loss: loss,
    grad_loss: Any = None,
) -> GradsAndVars:
    """Returns the gradients of a loss, or of what a function returns, each with its variable.

    scaled(loss) is what the gradients are taken of.

    Raises:
        ValueError: the loss is a tensor, and there is no tape that recorded it.
    """
    if not callable(loss) and tape is None:
        raise ValueError(
            f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, tape={tape}. Pass the tape under which "
            "the loss was computed, or a function without arguments that computes it."
        )
    tape = GradientTape() if tape is None else tape
    if callable(loss):
        with tape:
            if not callable(var_list):
                tape.watch(var_list)
            loss = loss()
            variables = var_list() if callable(var_list) else var_list
            loss = scaled(loss)
    else:
        variables = var_list() if callable(var_list) else var_list
        with tape:
            loss = scaled(loss)
    variables = keras.tree.flatten(variables)
    return list(zip(tape.gradient(loss, variables, grad_loss), variables, strict=True))


def compute_gradients(
    self: keras.optimizers.Optimizer, loss: Any, var_list: Any, tape: GradientTape | None = None
) -> GradsAndVars:
    """Returns the gradients of a loss with respect to variables, as pairs (gradient, variable)."""
    if not is_loss_scaler(self):
        return gradients_of(loss, var_list, tape)
    pairs = gradients_of(loss, var_list, tape, self.get_scaled_loss)
    gradients = self.get_unscaled_gradients([g for g, _ in pairs])
    return [(g, v) for g, (_, v) in zip(gradients, pairs, strict=True)]


def minimize(self: keras.optimizers.Optimizer, loss: Any, var_list: Any, tape: GradientTape | None = None) -> None:
    """Changes variables against the gradient of a loss: a function without arguments, or a tensor that `tape` recorded."""
    self.apply_gradients(self.compute_gradients(loss, var_list, tape=tape))


def _accepted(optimizer: keras.optimizers.Optimizer, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments for Keras. Raises ValueError and TypeError for what TensorFlow raises them for."""
    name = type(optimizer).__name__
    given = {k: v for k, v in given.items() if k not in _WITHOUT_MEANING}
    if given.pop("lr", None):
        log.warning(
            "`lr` is deprecated in Keras optimizer, and has no effect, as in TensorFlow 2.15: please use `learning_rate` or "
            "the legacy optimizer, e.g., tf.keras.optimizers.legacy.%s.",
            name,
        )
    for key in given:
        if key in _OF_LEGACY:
            raise ValueError(
                f"{key} is deprecated in the new Keras optimizer, please check the docstring for valid arguments, or use the "
                f"legacy optimizer, e.g., tf.keras.optimizers.legacy.{name}."
            )
        if key not in _OF_KERAS:
            raise TypeError(
                f"{key} is not a valid argument of {name}. It takes {', '.join(sorted(_OF_KERAS - {'self'}))}."
            )
    return given


def _counted(optimizer: keras.optimizers.Optimizer) -> list[keras.Variable]:
    """The variables that TensorFlow's `optimizer.variables()` has: all but the learning rate."""
    rates = [optimizer, getattr(optimizer, "inner_optimizer", optimizer)]
    known = {id(vars(rate).get("_learning_rate")) for rate in rates}
    return [v for v in optimizer.variables if id(v) not in known]


def attach_minimize() -> None:
    """Give optimizers `minimize` and `compute_gradients`, and let `variables` be called."""
    add_optimizer_methods(
        methods={"minimize": minimize, "compute_gradients": compute_gradients}, accept=_accepted, counted=_counted
    )
