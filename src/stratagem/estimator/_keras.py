"""model_to_estimator: an Estimator of a compiled Keras model."""

import os
from collections.abc import Callable
from typing import Any

import keras

from stratagem._errors import UnimplementedError
from stratagem.estimator._config import RunConfig
from stratagem.estimator._estimator import Estimator
from stratagem.estimator._model_spec import EstimatorSpec
from stratagem.estimator._modes import ModeKeys
from stratagem.estimator._scaffold import Scaffold
from stratagem.graph import GraphKeys, Operation, current_building, get_or_create_global_step
from stratagem.graph.train import gradients, scaled_loss


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
    """As `tf.keras.estimator.model_to_estimator`: trains a copy of the model, which begins with the model's weights.

    keras_model: compiled; the Estimator never changes it. keras_model_path: a file of one (`model.save`), in its place.
    custom_objects: classes and functions of the model by name. checkpoint_format: has no meaning. metric_names_map: other names
    for the results of metrics, by the model's.

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
        outputs = model(features, training=training)
        names = getattr(model, "output_names", None) or ["output"]
        listed = outputs if isinstance(outputs, list | tuple) else [outputs]
        predictions = outputs if isinstance(outputs, dict) else dict(zip(names, listed, strict=True))
        start = Scaffold(init_fn=lambda scaffold, session: model.set_weights(weights))
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, scaffold=start)
        loss = model.compute_loss(features, labels, outputs, training=training)
        metrics: dict[str, Any] = {}
        if mode == ModeKeys.EVAL:
            model.compute_metrics(features, labels, outputs)
            metrics = {renamed.get(m.name, m.name): m for m in _single(model.metrics) if m.name != "loss"}
        op = _train_op(model, loss) if training else None
        return EstimatorSpec(mode, predictions, loss, op, metrics, scaffold=start)

    return Estimator(model_fn, model_dir, config)


def _copier(model: Any, custom_objects: dict[str, Any]) -> Callable[[], Any]:
    """Makes the model anew, compiled alike. Raises ValueError if that cannot be done."""
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
            made = kind.from_config(config)
            made.compile_from_config(compiled)
        return made

    return copy


def _single(metrics: list[Any]) -> list[Any]:
    """Metrics one by one: those of `compile` come together."""
    return [each for metric in metrics for each in getattr(metric, "metrics", [metric])]


def _train_op(model: Any, loss: Any) -> Operation:
    """Applies the gradients with the model's optimizer, and counts the step."""
    building, variables = current_building(), model.trainable_variables
    slopes, step = gradients(scaled_loss(building, loss), variables), get_or_create_global_step()
    model.optimizer.build(variables)

    def update() -> None:
        model.optimizer.apply_gradients(zip(slopes, variables, strict=True))
        step.assign_add(1)

    operation = Operation("train", update)
    building.collections[GraphKeys.TRAIN_OP].append(operation)
    return operation
