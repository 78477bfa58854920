"""Heads of regressions: RegressionHead, PoissonRegressionHead, LogisticRegressionHead."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._ops import Tensor, log_poisson_loss, sigmoid_cross_entropy_with_logits, tensor
from stratagem._tf1.canned._head import MeasuredHead, checked_reduction, chosen
from stratagem._tf1.canned._labels import checked_logits, dense_labels, in_range
from stratagem._tf1.canned._measurements import Measurement, MeasurementKind, Observed
from stratagem._tf1.estimator.export import ExportOutput, PredictOutput, RegressionOutput

_MEAN = "sum_over_batch_size"


class _NumbersHead(MeasuredHead):
    """A head whose labels are numbers."""

    def __init__(
        self,
        label_dimension: int,
        weight_column: Any,
        loss_reduction: str,
        loss_fn: UserFunction | None,
        inverse_link_fn: UserFunction | None,
        name: str | None,
    ) -> None:
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        super().__init__(
            label_dimension,
            weight_column,
            checked_reduction(loss_reduction),
            loss_fn,
            name,
            per_logit=True,
            loss_dimension=label_dimension,
        )
        self._inverse_link_fn = inverse_link_fn

    def processed(self, labels: Any, logits: Tensor) -> Tensor:
        """Returns labels as float32, in the shape of the logits."""
        found = dense_labels(labels, logits, self.logits_dimension)
        if found.dtype == object:
            raise ValueError("Labels are strings, and the head's are numbers.")
        return tensor(found).astype(np.float32)

    def _predicted(self, scores: Tensor) -> Tensor:
        return scores if self._inverse_link_fn is None else tensor(self._inverse_link_fn(scores))

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Hashable, Any]:
        """Returns predictions and, if they are a function of the logits, these. keys: which of them."""
        scores = checked_logits(logits, self.logits_dimension)
        made: dict[str, Callable[[], Any]] = {"predictions": lambda: self._predicted(scores)}
        if self._inverse_link_fn is not None:
            made["logits"] = lambda: scores
        return chosen(made, keys)

    def measurements(self) -> dict[str, Measurement]:
        """Returns the means of predictions and labels."""
        return {name: Measurement(MeasurementKind.MEAN, name) for name in ("prediction/mean", "label/mean")}

    def observed(self, labels: Tensor, logits: Tensor, weights: Any) -> dict[str, Observed]:
        """Returns predictions and labels."""
        return {
            "prediction/mean": Observed(self._predicted(logits), weights=weights),
            "label/mean": Observed(labels, weights=weights),
        }

    def export_outputs(self, predictions: dict[Hashable, Any]) -> dict[str, ExportOutput]:
        """Returns the predictions, under three names."""
        value = RegressionOutput(predictions["predictions"])
        return {"serving_default": value, "regression": value, "predict": PredictOutput(predictions)}


@exported("estimator.RegressionHead")
@final
class RegressionHead(_NumbersHead):
    """`tf.estimator.RegressionHead`: numbers, whose logits are (batch, ..., label_dimension); the loss is the squared error.

    weight_column: the key of weights of examples or of their numbers, or a numeric column. loss_fn: takes `labels`, `logits`
    and perhaps `features`, and returns the losses in the shape of the logits. inverse_link_fn: makes predictions of logits.

    Raises ValueError for a dimension that is not positive, another reduction, and a loss_fn of other arguments.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = _MEAN,
        loss_fn: UserFunction | None = None,
        inverse_link_fn: UserFunction | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the squared errors."""
        return jnp.square(logits - labels)


@exported("estimator.PoissonRegressionHead")
@final
class PoissonRegressionHead(_NumbersHead):
    """`tf.estimator.PoissonRegressionHead`: counts, whose expected values are the exponentials of logits.

    compute_full_loss: with the part of the loss that does not depend on the logits. The other arguments and errors are those
    of RegressionHead.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = _MEAN,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(label_dimension, weight_column, loss_reduction, None, jnp.exp, name)
        self._full = compute_full_loss

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the negative logarithm of the likelihood."""
        return log_poisson_loss(labels, logits, compute_full_loss=self._full)


@exported("estimator.LogisticRegressionHead")
@final
class LogisticRegressionHead(_NumbersHead):
    """`tf.estimator.LogisticRegressionHead`: numbers from 0 to 1, which are the sigmoid of logits (batch, ..., 1).

    The arguments and errors are those of RegressionHead.
    """

    def __init__(self, weight_column: Any = None, loss_reduction: str = _MEAN, name: str | None = None) -> None:
        super().__init__(1, weight_column, loss_reduction, None, jax.nn.sigmoid, name)

    def losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Returns the cross entropy. Labels that are not from 0 to 1 raise InvalidArgumentError when the step runs."""
        return sigmoid_cross_entropy_with_logits(in_range(labels, 2, "Labels must be in range [0, 1]"), logits)
