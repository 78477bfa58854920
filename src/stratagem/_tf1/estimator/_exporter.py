"""The contract of exporters: what is made of a model after an evaluation."""

import abc
from typing import Any


class Exporter(abc.ABC):
    """As `tf.estimator.Exporter`."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of its directory below `export`; no two exporters of an EvalSpec have the same."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Write what is to be written below `export_path`, and return what train_and_evaluate is to return for it."""
