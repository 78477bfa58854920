"""The signatures of an exported model: which there are, and how inputs and outputs are named, as in TensorFlow."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import jax.numpy as jnp
import numpy as np

from stratagem._core.values import TensorSpec
from stratagem._ops import is_tensor
from stratagem._tf1.estimator._class_names import ClassNames
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._step import demand_update, run_operation
from stratagem._tf1.estimator.export import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput
from stratagem._tf1.graph import MetricValue

_log = logging.getLogger("stratagem.estimator")

DEFAULT: Final = "serving_default"
_INPUTS: Final = "inputs"
TAGS: Final = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval", ModeKeys.PREDICT: "serve"}


@final
@dataclass(frozen=True)
class SupervisedOutput(ExportOutput):
    """The loss, predictions and metrics of a model in training or in evaluation, which updates the metrics."""

    spec: EstimatorSpec


def outputs_of(spec: EstimatorSpec) -> dict[str, ExportOutput]:
    """Returns the outputs of a model by the key of their signature; without any given, its predictions.

    In training and in evaluation there is one signature, which has the mode's name. Raises ValueError if there are several,
    and none of them is the default.
    """
    if spec.mode != ModeKeys.PREDICT:
        return {TAGS[spec.mode]: SupervisedOutput(spec)}
    given = spec.export_outputs
    if not given:
        return {DEFAULT: PredictOutput(spec.predictions)}
    if DEFAULT in given:
        return given
    if len(given) > 1:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default: "
            f"{sorted(given)}. Name one of them tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY ({DEFAULT!r})."
        )
    return {**given, DEFAULT: next(iter(given.values()))}


def tensors_of(output: ExportOutput) -> dict[str, Any]:
    """Returns the tensors of an output by the names that they have in a response. Metrics are updated first."""
    match output:
        case SupervisedOutput():
            named: dict[str, Any] = _supervised(output.spec)
        case ClassificationOutput():
            named = {"classes": output.classes, "scores": output.scores}
        case RegressionOutput():
            named = _flat("outputs", output.value)
        case PredictOutput():
            named = _flat("output", output.outputs)
        case _:
            raise ValueError(
                f"export_outputs are PredictOutput, ClassificationOutput and RegressionOutput, got {output!r}."
            )
    return {name: _served(value) for name, value in named.items() if value is not None}


def _supervised(spec: EstimatorSpec) -> dict[str, Any]:
    named = {} if spec.loss is None else {"loss": spec.loss}
    for name, value in _flat("predictions", spec.predictions).items():
        named[_below("predictions", name)] = value
    for name, metric in spec.eval_metric_ops.items():
        value, update = _measured(metric)
        named |= {f"{_below('metrics', name)}/value": value, f"{_below('metrics', name)}/update_op": update}
    return named


def _below(what: str, name: str) -> str:
    return name if name.startswith(what) else f"{what}/{name}"


def _measured(metric: Any) -> tuple[Any, Any]:
    """Updates a metric. Returns its value over all calls, and the result of the update: an empty tensor if it has none."""
    if isinstance(metric, tuple):
        value, result = metric[0], run_operation(metric[1])
        value = value.read() if isinstance(value, MetricValue) else jnp.asarray(value)
    else:
        demand_update(metric)
        value, result = metric.result(), None
    return value, jnp.zeros((0,), jnp.float32) if result is None else jnp.asarray(result)


def _served(value: Any) -> Any:
    return value.strings() if isinstance(value, ClassNames) else value


def _flat(alone: str, tensors: Any) -> dict[str, Any]:
    found = tensors if isinstance(tensors, Mapping) else {alone: tensors}
    named = {"/".join(key) if isinstance(key, tuple) else str(key): value for key, value in found.items()}
    for name, value in named.items():
        if not is_tensor(value) and not isinstance(value, ClassNames):
            raise ValueError(f"Prediction output value must be a Tensor, got {value!r:.100} for {name!r}.")
    return named


def inputs_of(output: ExportOutput, key: str, names: Sequence[str], specs: Sequence[TensorSpec]) -> list[str] | None:
    """Returns the names of a signature's inputs; None if there is no such signature.

    A classification and a regression take one tensor of strings, serialized Examples.
    """
    if isinstance(output, PredictOutput | SupervisedOutput):
        return list(names)
    if len(specs) == 1 and specs[0].dtype == np.dtype(object):
        return [_INPUTS]
    _log.warning(
        "The export has no signature %r: a %s takes one tensor of strings, serialized Examples, and the receiver gives %s.",
        key,
        type(output).__name__,
        ", ".join(names),
    )
    return None
