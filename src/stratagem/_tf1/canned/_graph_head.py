"""GraphHead: a head as TensorFlow 1's canned Estimators use it, with the losses and metrics of tf1."""

from collections.abc import Callable, Mapping
from typing import Any, final

import jax.numpy as jnp

from stratagem._ops import tensor
from stratagem._tf1.canned._head import MeasuredHead
from stratagem._tf1.canned._labels import checked_logits
from stratagem._tf1.canned._measurements import graph_metric
from stratagem._tf1.estimator import EstimatorSpec, ModeKeys
from stratagem._tf1.graph import GraphKeys, get_collection, group, name_scope, summary
from stratagem._tf1.graph.losses import Reduction, compute_weighted_loss


@final
class GraphHead:
    """A head whose loss is reduced by `tf1.losses`, by default a sum, and which measures with `tf1.metrics`.

    Raises ValueError for another reduction, and for NONE.
    """

    def __init__(self, head: MeasuredHead, loss_reduction: str) -> None:
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(
                f"Invalid loss_reduction: {loss_reduction}. See `tf.compat.v1.losses.Reduction`: one of "
                f"{', '.join(Reduction.all()[1:])}."
            )
        self._head, self._reduction = head, loss_reduction

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of logits."""
        return self._head.logits_dimension

    @property
    def loss_reduction(self) -> str:
        """The reduction, of `tf1.losses`."""
        return self._reduction

    def create_estimator_spec(
        self,
        features: Mapping[str, Any],
        mode: str,
        logits: Any,
        labels: Any,
        train_op_fn: Callable[[Any], Any],
    ) -> EstimatorSpec:
        """Returns the EstimatorSpec. train_op_fn: takes the loss and returns the operation of a step."""
        head = self._head
        predictions = head.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=head.export_outputs(predictions))
        scores = checked_logits(logits, head.logits_dimension)
        losses, weights = head.weighted(head.processed(labels, scores), scores, features)
        loss = compute_weighted_loss(losses, weights, reduction=self._reduction)
        if mode == ModeKeys.EVAL:
            measured, observed = head.all_measurements(regularized=False), head.all_observed(features, logits, labels)
            found: dict[str, Any] = {name: graph_metric(measured[name], observed[name]) for name in measured}
            return EstimatorSpec(mode, predictions, loss, eval_metric_ops=found)
        operation = group(train_op_fn(loss), *get_collection(GraphKeys.UPDATE_OPS))
        head.summarize(loss, None)
        if self._reduction == Reduction.SUM:
            total = jnp.sum(jnp.broadcast_to(tensor(weights), losses.shape))
            with name_scope(""):
                summary.scalar(head.key("average_loss"), tensor(loss) / total)
        return EstimatorSpec(mode, predictions, loss, operation)
