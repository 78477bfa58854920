"""The signatures of an exported model: which there are, and how inputs and outputs are named, as in TensorFlow."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from stratagem._base.types import Nest, TensorLike
from stratagem._core.values import TensorSpec
from stratagem._ops import is_tensor
from stratagem._tf1.estimator._class_names import ClassNames
from stratagem._tf1.estimator._model_spec import EstimatorSpec
from stratagem._tf1.estimator.export import ClassificationOutput, ExportOutput, PredictOutput, RegressionOutput

_log = logging.getLogger("stratagem.estimator")

DEFAULT: Final = "serving_default"
_INPUTS: Final = "inputs"


def outputs_of(spec: EstimatorSpec) -> dict[str, ExportOutput]:
    """Returns the outputs of a model by the key of their signature; without any given, its predictions.

    Raises ValueError if there are several, and none of them is the default.
    """
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


def tensors_of(output: ExportOutput) -> dict[str, TensorLike]:
    """Returns the tensors of an output by the names that they have in a response."""
    match output:
        case ClassificationOutput():
            named: dict[str, Any] = {"classes": output.classes, "scores": output.scores}
        case RegressionOutput():
            named = _flat("outputs", output.value)
        case PredictOutput():
            named = _flat("output", output.outputs)
        case _:
            raise ValueError(
                f"export_outputs are PredictOutput, ClassificationOutput and RegressionOutput, got {output!r}."
            )
    return {name: _served(value) for name, value in named.items() if value is not None}


def _served(value: Any) -> TensorLike:
    return value.strings() if isinstance(value, ClassNames) else value


def _flat(alone: str, tensors: Nest) -> dict[str, Any]:
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
    if isinstance(output, PredictOutput):
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
