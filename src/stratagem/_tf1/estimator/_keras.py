"""model_to_estimator: an Estimator of a compiled Keras model."""

import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import keras

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.step import gradients
from stratagem._tf1.estimator._config import RunConfig
from stratagem._tf1.estimator._estimator import Estimator
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._scaffold import Scaffold
from stratagem._tf1.estimator._step import is_updated
from stratagem._tf1.graph import (
    GraphKeys,
    Operation,
    current_building,
    get_or_create_global_step,
    scaled_loss,
)


@exported("estimator.model_to_estimator", "keras.estimator.model_to_estimator", v1=())
def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | os.PathLike[str] | None = None,
    custom_objects: dict[str, Any] | None = None,
    model_dir: str | os.PathLike[str] | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str | None = None,
    metric_names_map: dict[str, str] | None = None,
    export_outputs: dict[str, Any] | None = None,
) -> Estimator:
    """Returns an Estimator that trains a copy of a Keras model, as `tf.keras.estimator.model_to_estimator`.

    Training starts from the model's weights; the model itself is never changed.

    keras_model: a compiled model.
    keras_model_path: the file of a model (`model.save`), instead of keras_model.
    custom_objects: classes and functions of the model by name.
    checkpoint_format: ignored.
    metric_names_map: new names of metrics, by the names of `model.evaluate`.

    Raises:
        ValueError: neither or both of model and path are given, the model is not compiled, or it cannot be copied.
    """
    if (keras_model is None) == (keras_model_path is None):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided, and not both.")
    if export_outputs is not None:
        raise UnimplementedError("model_to_estimator: export_outputs is about SavedModels, which are not provided.")
    if keras_model is None:
        keras_model = keras.models.load_model(keras_model_path, custom_objects)
    if not keras_model.compiled:
        raise ValueError("The given keras model has not been compiled yet. Call model.compile(optimizer, loss) first.")
    copy = _copier(keras_model, custom_objects or {})
    weights = keras_model.get_weights()
    renamed = metric_names_map or {}

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        model = copy()
        training = mode == ModeKeys.TRAIN
        outputs = model(features, training=training) if model._call_has_training_arg else model(features)
        names = getattr(model, "output_names", None) or ["output"]
        listed = outputs if isinstance(outputs, list | tuple) else [outputs]
        predictions = outputs if isinstance(outputs, dict) else dict(zip(names, listed, strict=True))
        start = Scaffold(init_fn=lambda scaffold, session: model.set_weights(weights))
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, scaffold=start)
        loss = model._compute_loss(x=features, y=labels, y_pred=outputs, training=training)
        metrics: dict[str, Any] = {}
        if mode == ModeKeys.EVAL:
            model.compute_metrics(features, labels, outputs)
            metrics = {renamed.get(name, name): m for name, m in _named(model.metrics) if name != "loss"}
        op = _train_op(model, loss) if training else None
        return EstimatorSpec(mode, predictions, loss, op, metrics, scaffold=start)

    return Estimator(model_fn, model_dir, config)


def _copier(model: Any, custom_objects: dict[str, Any]) -> Callable[[], Any]:
    """Returns a function that creates and compiles the model again. Raises ValueError if that is impossible."""
    kind, compiled = type(model), model.get_compile_config()
    try:
        config = model.get_config()
    except NotImplementedError as error:
        raise ValueError(
            f"model_to_estimator cannot copy {model.name}: {kind.__name__} has no `get_config`. Add one, or write a model_fn "
            "that makes the model."
        ) from error

    def copy() -> Any:
        with keras.utils.custom_object_scope(custom_objects):
            made = kind.from_config(deepcopy(config))  # a copy, since some classes modify it
            made.compile_from_config(deepcopy(compiled))
        return made

    return copy


def _named(metrics: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yields each metric with its name in `model.evaluate`, except metrics that only a custom `train_step` would update."""
    for metric in metrics:
        parts = getattr(metric, "metrics", None)  # the metrics of `compile` are one object
        if parts:
            yield from zip(metric.result(), parts, strict=True)
        elif parts is None and is_updated(metric, current().recorder):
            yield metric.name, metric


def _train_op(model: Any, loss: Any) -> Operation:
    """Returns the operation that applies the gradients with the model's optimizer, and counts the step."""
    building, variables = current_building(), model.trainable_variables
    model.optimizer.build(variables)  # `scale_loss` reads a variable that this creates
    scaled = model.optimizer.scale_loss(scaled_loss(building, loss))
    slopes, step = gradients(scaled, variables), get_or_create_global_step()

    def update() -> None:
        model.optimizer.apply_gradients(zip(slopes, variables, strict=True))
        step.assign_add(1)

    operation = Operation("train", update)
    building.collections[GraphKeys.TRAIN_OP].append(operation)
    return operation
