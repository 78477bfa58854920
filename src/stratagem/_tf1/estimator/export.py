"""tf.estimator.export: descriptions of a served model's outputs. They are stored, but nothing here serves models."""

from dataclasses import dataclass
from typing import final

from stratagem._base.errors import NotProvidedError
from stratagem._base.types import Nest
from stratagem._ops import not_provided

# The input of a SavedModel, and what makes it.
_RECEIVERS = """
    ServingInputReceiver SupervisedInputReceiver TensorServingInputReceiver build_parsing_serving_input_receiver_fn
    build_raw_serving_input_receiver_fn build_raw_supervised_input_receiver_fn
    build_supervised_input_receiver_fn_from_input_fn
"""


class ExportOutput:
    """The base class of outputs, as `tf.estimator.export.ExportOutput`."""


@final
@dataclass(frozen=True)
class PredictOutput(ExportOutput):
    """Any tensors, by name, as `tf.estimator.export.PredictOutput`."""

    outputs: Nest


@final
@dataclass(frozen=True)
class ClassificationOutput(ExportOutput):
    """The output of a classifier, as `tf.estimator.export.ClassificationOutput`.

    Raises:
        ValueError: neither scores nor classes are given.
    """

    scores: Nest = None
    classes: Nest = None

    def __post_init__(self) -> None:
        if self.scores is None and self.classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. Give scores, classes, or both."
            )


@final
@dataclass(frozen=True)
class RegressionOutput(ExportOutput):
    """The output of a regression, as `tf.estimator.export.RegressionOutput`."""

    value: Nest


def __getattr__(name: str) -> Nest:
    if name in _RECEIVERS.split():
        raise NotProvidedError(
            f"tf.estimator.export.{name} is not provided: nothing here writes SavedModels. Use Estimator.predict, or read "
            "the variables with tf.train.load_variable into a Keras model, which has `export`."
        )
    raise not_provided("estimator.export", name)
