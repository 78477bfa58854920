"""ExportOutput: how a model_fn says what a served model would answer; kept, since nothing here serves models."""

from dataclasses import dataclass
from typing import Any, final


class ExportOutput:
    """As `tf.estimator.export.ExportOutput`."""


@final
@dataclass(frozen=True)
class PredictOutput(ExportOutput):
    """As `tf.estimator.export.PredictOutput`: any tensors, by name."""

    outputs: Any


@final
@dataclass(frozen=True)
class ClassificationOutput(ExportOutput):
    """As `tf.estimator.export.ClassificationOutput`.

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


@final
@dataclass(frozen=True)
class RegressionOutput(ExportOutput):
    """As `tf.estimator.export.RegressionOutput`."""

    value: Any
