"""Descriptions of a served model's outputs, of which an export makes signatures."""

from dataclasses import dataclass
from typing import Any, final

from stratagem._base.exports import exported


@exported("estimator.export.ExportOutput")
class ExportOutput:
    """The base class of outputs, as `tf.estimator.export.ExportOutput`."""


@exported("estimator.export.PredictOutput")
@final
@dataclass(frozen=True)
class PredictOutput(ExportOutput):
    """Any tensors, by name, as `tf.estimator.export.PredictOutput`."""

    outputs: Any


@exported("estimator.export.ClassificationOutput")
@final
@dataclass(frozen=True)
class ClassificationOutput(ExportOutput):
    """The output of a classifier, as `tf.estimator.export.ClassificationOutput`.

    Raises:
        ValueError: neither scores nor classes are given.
    """

    scores: Any = None
    classes: Any = None

    def __post_init__(self) -> None:
        if self.scores is None and self.classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. Give scores, classes, or both."
            )


@exported("estimator.export.RegressionOutput")
@final
@dataclass(frozen=True)
class RegressionOutput(ExportOutput):
    """The output of a regression, as `tf.estimator.export.RegressionOutput`."""

    value: Any
