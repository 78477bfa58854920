"""The computation of one step of a model on one replica: training, testing, predicting."""

import enum
import inspect
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import keras

from stratagem._core.context import current, entered, recording
from stratagem._core.step import GradientTape, of_batch
from stratagem._core.values import CompositeTensor
from stratagem._ops.sparse import SparseTensor
from stratagem._strategies import AbstractStrategy


class StepKind(enum.Enum):
    """The kinds of steps, each with the name of the model's method for it."""

    TRAIN = "train_step"
    TEST = "test_step"
    PREDICT = "predict_step"


@final
@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a compiled model; each `compile` makes a new object, and so new programs."""

    model: Any

    def __call__(self, kind: StepKind, gathers: bool, data: Any) -> Any:
        """Runs one replica's step and returns logs, or predictions. gathers: return the predictions of all replicas."""
        with entered(rows=rows_of(data)):
            self.model._clear_losses()
            if _is_stateless(self.model, kind):
                result = _stateless_step(self.model, kind, data)
            else:
                result = getattr(self.model, kind.value)(data)
            if kind is not StepKind.PREDICT:
                return scalars(result, self.model, kind)
            return jax.tree.map(recording().gather_rows, result) if gathers else result


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def rows_of(data: Any) -> int:
    """The number of examples in a batch: the first dimension of its first tensor. Raises ValueError for a batch of scalars."""
    # What a composite tensor is made of has other rows: those of one are asked for where there is no tensor.
    found = [v for v in jax.tree.leaves(data, is_leaf=_is_composite) if hasattr(v, "shape")]
    leaf = min(found, key=_is_composite, default=None)
    if leaf is None or not leaf.shape:
        raise ValueError(
            f"The elements of the data must be batches: tensors whose first dimension is examples, got {data!r:.200}."
        )
    return int(leaf.known_shape("the number of rows")[0] if isinstance(leaf, SparseTensor) else leaf.shape[0])


def _unpacked(model: Any, data: Any) -> tuple[Any, Any, Any]:
    x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
    if y is None and model.loss is not None and type(model).compute_loss is keras.Model.compute_loss:
        raise ValueError(
            f"Model {model.name!r} is compiled with a loss, which compares outputs with targets, but the data has no targets "
            "`y`. Pass them, or a dataset of pairs (x, y)."
        )
    return x, y, sample_weight


def _check_dense(model: Any, y: Any, y_pred: Any) -> None:
    """Raises TypeError for targets and outputs that are ragged or sparse tensors, of which Keras' losses make no numbers."""
    if model.loss is not None and any(map(_is_composite, jax.tree.leaves((y, y_pred), is_leaf=_is_composite))):
        raise TypeError(
            f"The loss and metrics of model {model.name!r} take no ragged or sparse tensors. Let the model reduce its rows, as "
            "by tf.keras.layers.GlobalAveragePooling1D, make targets and outputs dense by `to_tensor`, or write a `train_step`."
        )


def _predicted(model: Any, x: Any, *, training: bool) -> Any:
    return model(x, training=training) if model._call_has_training_arg else model(x)


def _update_metrics(model: Any, x: Any, y: Any, y_pred: Any, sample_weight: Any, loss: Any) -> Any:
    model._loss_tracker.update_state(loss, sample_weight=current().rows)
    return model.compute_metrics(x, y, y_pred, sample_weight)


def train_step(model: Any, data: Any) -> Any:
    """Implements `keras.Model.train_step`: applies the gradient of the compiled loss with the optimizer. Returns the logs."""
    x, y, sample_weight = _unpacked(model, data)
    with GradientTape() as tape:
        y_pred = _predicted(model, x, training=True)
        _check_dense(model, y, y_pred)
        loss = model._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
        scaled = model.optimizer.scale_loss(loss)
    variables = model.trainable_weights
    if variables:
        model.optimizer.apply(tape.gradient(scaled, variables), variables)
    return _update_metrics(model, x, y, y_pred, sample_weight, loss)


def test_step(model: Any, data: Any) -> Any:
    """Implements `keras.Model.test_step`: computes the compiled loss and metrics. Returns the logs."""
    x, y, sample_weight = _unpacked(model, data)
    y_pred = _predicted(model, x, training=False)
    _check_dense(model, y, y_pred)
    loss = model._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
    return _update_metrics(model, x, y, y_pred, sample_weight, loss)


def predict_step(model: Any, data: Any) -> Any:
    """Implements `keras.Model.predict_step`: returns the model's outputs."""
    x, _, _ = keras.utils.unpack_x_y_sample_weight(data)
    return _predicted(model, x, training=False)


_DEFAULTS: dict[str, Callable[[Any, Any], Any]] = {
    StepKind.TRAIN.value: train_step,
    StepKind.TEST.value: test_step,
    StepKind.PREDICT.value: predict_step,
}


def route_step(name: str) -> Callable[[Any, Callable[..., Any]], Callable[..., Any]]:
    """Makes a route for `intercept_trainer`: inside our steps, `model.<name>(data)` is TF's method; elsewhere Keras' own."""
    step = _DEFAULTS[name]

    def route(model: Any, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            ours = current().rows is not None and len(args) + len(kwargs) == 1
            return step(model, *args, **kwargs) if ours else original(*args, **kwargs)

        return call

    return route


def _arguments(method: Callable[..., Any]) -> list[str]:
    """The names of the arguments that a step method requires, including `self`."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(method).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind in kinds]


def _overridden(model: Any) -> dict[StepKind, list[str]]:
    """The step methods that the model's class overrides, and their required arguments."""
    methods = {kind: getattr(type(model), kind.value) for kind in StepKind}
    return {k: _arguments(m) for k, m in methods.items() if m is not getattr(keras.Model, k.value)}


def is_overridden(model: Any, kind: StepKind) -> bool:
    """Returns whether the model's class has a step of its own, which may not call the model at all."""
    return kind in _overridden(model)


# What a step in Keras' form for JAX is given of its model, and returns.
_STATES: dict[StepKind, tuple[str, ...]] = {
    StepKind.TRAIN: ("trainable_variables", "non_trainable_variables", "optimizer.variables", "metrics_variables"),
    StepKind.TEST: ("trainable_variables", "non_trainable_variables", "metrics_variables"),
    StepKind.PREDICT: ("trainable_variables", "non_trainable_variables"),
}


def _is_stateless(model: Any, kind: StepKind) -> bool:
    """Returns whether the model's step has Keras' form for JAX, `train_step(self, state, data)`."""
    return len(_overridden(model).get(kind, ())) > 2


def _stateless_step(model: Any, kind: StepKind, data: Any) -> Any:
    """Calls a step in Keras' form for JAX, and assigns the state that it returns."""
    if not all(layer.built for layer in model._flatten_layers()) or not model.optimizer.built:
        model._symbolic_build(data_batch=data)
    parts = [operator.attrgetter(name)(model) for name in _STATES[kind]]
    result, state = getattr(model, kind.value)(tuple([v.value for v in part] for part in parts), data)
    if kind is StepKind.PREDICT:
        parts, state = parts[1:], (state,)
    for part, values in zip(parts, state, strict=True):
        for variable, value in zip(part, values, strict=True):
            variable.assign(value)
    return result


def check_overrides(model: Any, strategy: AbstractStrategy) -> None:
    """Raises TypeError for several replicas and a step in Keras' form for JAX, `train_step(self, state, data)`."""
    if strategy.num_replicas_in_sync == 1:
        return
    for kind, needed in _overridden(model).items():
        if len(needed) > 2:
            raise TypeError(
                f"{type(model).__name__}.{kind.value}({', '.join(needed)}) has the form of Keras' JAX trainer, which knows no "
                f"replicas. Here a step is written as in TensorFlow: `def {kind.value}(self, data)`, with tf.GradientTape and "
                "self.optimizer.apply."
            )


def scalars(logs: Any, model: Any, kind: StepKind) -> dict[str, Any]:
    """The logs that a step returned, as numbers for the global batch. Raises TypeError if they are not a dict.

    A dict inside counts as its items: the result of Keras' `compile_metrics`, among `self.metrics`, is one.
    """
    if not isinstance(logs, dict):
        raise TypeError(
            f"{kind.value} must return a dict of logs, name → scalar, got {type(logs).__name__}: {logs!r:.100}."
        )
    tensors = {name: value if hasattr(value, "dtype") else jnp.asarray(value) for name, value in _flat(logs)}
    # The logs of Keras' own steps are results of metrics. Those of a user's step may be means over a replica's rows.
    own = getattr(type(model), kind.value) is not getattr(keras.Model, kind.value)
    return {name: of_batch(value) for name, value in tensors.items()} if own else tensors


def _flat(logs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in logs.items():
        yield from _flat(value) if isinstance(value, dict) else [(name, value)]
