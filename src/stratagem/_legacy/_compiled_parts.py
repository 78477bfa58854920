"""Parts of a compiled model by the names of Keras 2: `compiled_loss` and `compiled_metrics`, as a `train_step` uses them."""

from collections.abc import Sequence
from typing import Any, final

import keras

from stratagem._private import add_model_properties, compiled_parts, let_a_list_of_metrics_be_of_every_output


@final
class CompiledLoss:
    """The loss of `compile`, called with targets and predictions; it also updates the metric `loss`."""

    def __init__(self, model: keras.Model) -> None:
        self._loss, _, self._tracker = compiled_parts(model)

    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Any:
        """Returns the total loss: of the batch, and the regularization losses."""
        losses = [] if self._loss is None else [self._loss(y_true, y_pred, sample_weight)]
        losses += [keras.ops.sum(loss) for loss in regularization_losses or ()]
        if not losses:
            return keras.ops.zeros(())
        total = keras.ops.sum(keras.ops.stack(losses)) if len(losses) > 1 else losses[0]
        self._tracker.update_state(total, sample_weight=_rows(y_true, y_pred))
        return total

    @property
    def metrics(self) -> list[keras.metrics.Metric]:
        """The metric of the total loss, and those of the outputs' losses."""
        return [self._tracker, *([] if self._loss is None else self._loss.metrics)]

    def reset_state(self) -> None:
        """Sets the metrics to zero."""
        for metric in self.metrics:
            metric.reset_state()


@final
class CompiledMetrics:
    """The metrics of `compile`, updated with targets and predictions."""

    def __init__(self, model: keras.Model) -> None:
        _, self._metrics, _ = compiled_parts(model)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch to every metric."""
        if self._metrics is not None:
            self._metrics.update_state(y_true, y_pred, sample_weight)

    @property
    def metrics(self) -> list[keras.metrics.Metric]:
        """The metrics; none before the first batch, which says how many outputs there are."""
        return [] if self._metrics is None else list(self._metrics.metrics)

    def reset_state(self) -> None:
        """Sets the metrics to zero."""
        for metric in self.metrics:
            metric.reset_state()


def _rows(y_true: Any, y_pred: Any) -> int:
    """Returns the number of examples by which Keras 2 weighs the loss: of the first target, or prediction."""
    return int(next(x for x in keras.tree.flatten([y_true, y_pred]) if x is not None).shape[0])


def _when_compiled(part: type) -> Any:
    return lambda model: part(model) if model.compiled else None


def attach_compiled_parts() -> None:
    """Give models `compiled_loss` and `compiled_metrics`, which are None before `compile`."""
    add_model_properties(
        {"compiled_loss": _when_compiled(CompiledLoss), "compiled_metrics": _when_compiled(CompiledMetrics)}
    )


def attach_metrics_of_outputs() -> None:
    """Let a list of metrics without further lists in it be those of every output, as in Keras 2."""
    let_a_list_of_metrics_be_of_every_output()
