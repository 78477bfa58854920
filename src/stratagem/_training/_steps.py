"""What one step of a model computes on one replica: training, testing, predicting."""

import enum
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import current, entered, recording
from stratagem._core.step import GradientTape, of_batch


class StepKind(enum.Enum):
    """Which of a model's step methods runs."""

    TRAIN = "train_step"
    TEST = "test_step"
    PREDICT = "predict_step"


@final
@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a model as it was compiled; another `compile` makes another object, and so other programs."""

    model: Any

    def __call__(self, kind: StepKind, gathers: bool, data: Any) -> Any:
        """One replica's step: logs, or predictions. gathers: hand out the predictions of all replicas."""
        with entered(rows=rows_of(data)):
            self.model._clear_losses()
            result = getattr(self.model, kind.value)(data)
            if kind is not StepKind.PREDICT:
                return scalars(result, self.model, kind)
            return jax.tree.map(recording().gather_rows, result) if gathers else result


def rows_of(data: Any) -> int:
    """How many examples a batch has: the first dimension of its first tensor. Raises ValueError for a batch of scalars."""
    leaf = next((v for v in jax.tree.leaves(data) if hasattr(v, "shape")), None)
    if leaf is None or not leaf.shape:
        raise ValueError(
            f"The elements of the data must be batches: tensors whose first dimension is examples, got {data!r:.200}."
        )
    return int(leaf.shape[0])


def _parts(model: Any, data: Any) -> tuple[Any, Any, Any]:
    x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
    if y is None and model.loss is not None and type(model).compute_loss is keras.Model.compute_loss:
        raise ValueError(
            f"Model {model.name!r} is compiled with a loss, which compares outputs with targets, but the data has no targets "
            "`y`. Pass them, or a data set of pairs (x, y)."
        )
    return x, y, sample_weight


def _predicted(model: Any, x: Any, *, training: bool) -> Any:
    return model(x, training=training) if model._call_has_training_arg else model(x)


def _measured(model: Any, x: Any, y: Any, y_pred: Any, sample_weight: Any, loss: Any) -> Any:
    model._loss_tracker.update_state(loss, sample_weight=rows_of(x))
    return model.compute_metrics(x, y, y_pred, sample_weight)


def train_step(model: Any, data: Any) -> Any:
    """`keras.Model.train_step`: the gradient of the compiled loss, applied by the optimizer. Returns the logs."""
    x, y, sample_weight = _parts(model, data)
    with GradientTape() as tape:
        y_pred = _predicted(model, x, training=True)
        loss = model._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
        scaled = model.optimizer.scale_loss(loss)
    variables = model.trainable_weights
    if variables:
        model.optimizer.apply(tape.gradient(scaled, variables), variables)
    return _measured(model, x, y, y_pred, sample_weight, loss)


def test_step(model: Any, data: Any) -> Any:
    """`keras.Model.test_step`: the compiled loss and metrics. Returns the logs."""
    x, y, sample_weight = _parts(model, data)
    y_pred = _predicted(model, x, training=False)
    loss = model._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
    return _measured(model, x, y, y_pred, sample_weight, loss)


def predict_step(model: Any, data: Any) -> Any:
    """`keras.Model.predict_step`: the model's outputs."""
    x, _, _ = keras.utils.unpack_x_y_sample_weight(data)
    return _predicted(model, x, training=False)


_DEFAULTS: dict[str, Callable[[Any, Any], Any]] = {
    StepKind.TRAIN.value: train_step,
    StepKind.TEST.value: test_step,
    StepKind.PREDICT.value: predict_step,
}


def route_step(name: str) -> Callable[[Any, Callable[..., Any]], Callable[..., Any]]:
    """For `intercept_trainer`: `model.<name>(data)` inside a step of ours is TF's method; elsewhere it is Keras' own."""
    step = _DEFAULTS[name]

    def route(model: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            ours = current().rows is not None and len(args) + len(kwargs) == 1
            return step(model, *args, **kwargs) if ours else original(*args, **kwargs)

        return call

    return route


def _arguments(method: Callable[..., Any]) -> list[str]:
    """The names of the arguments that a step method needs, `self` included."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(method).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind in kinds]


def _overridden(model: Any) -> dict[StepKind, list[str]]:
    """The step methods that the model's class has written anew, and what they need."""
    methods = {kind: getattr(type(model), kind.value) for kind in StepKind}
    return {k: _arguments(m) for k, m in methods.items() if m is not getattr(keras.Model, k.value)}


def is_as_in_tensorflow(model: Any) -> bool:
    """True if the model has a step method of its own in TF's form, `train_step(self, data)`: Keras' JAX trainer has another."""
    return any(len(needed) == 2 for needed in _overridden(model).values())


def check_overrides(model: Any) -> None:
    """Raise TypeError for a step method in the form that Keras has for JAX alone: `train_step(self, state, data)`."""
    for kind, needed in _overridden(model).items():
        if len(needed) > 2:
            raise TypeError(
                f"{type(model).__name__}.{kind.value}({', '.join(needed)}) has the form of Keras' JAX trainer. Here a step is "
                f"written as in TensorFlow: `def {kind.value}(self, data)`, with tf.GradientTape and self.optimizer.apply."
            )


def scalars(logs: Any, model: Any, kind: StepKind) -> dict[str, Any]:
    """The logs that a step returned, as numbers of the global batch. Raises TypeError if they are no dict.

    A dict in it counts as its items: the result of Keras' `compile_metrics`, among `self.metrics`, is one.
    """
    if not isinstance(logs, dict):
        raise TypeError(
            f"{kind.value} must return a dict of logs, name → scalar, got {type(logs).__name__}: {logs!r:.100}."
        )
    tensors = {name: value if hasattr(value, "dtype") else jnp.asarray(value) for name, value in _flat(logs)}
    # The logs of a step of Keras are results of metrics. Those of a user's step may be means over a replica's rows.
    own = getattr(type(model), kind.value) is not getattr(keras.Model, kind.value)
    return {name: of_batch(value) for name, value in tensors.items()} if own else tensors


def _flat(logs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in logs.items():
        yield from _flat(value) if isinstance(value, dict) else [(name, value)]
