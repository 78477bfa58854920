"""Steps that call a model_fn as an Estimator does: traced, inside `strategy.run`, its train_op run at the end."""

from collections.abc import Callable, Sequence
from typing import Any

import stratagem as tf
from stratagem._tf1.graph import ModelState

ModelFn = Callable[[Any, Any], tuple[Any, Any]]


def trainer(
    model_fn: ModelFn, graph: ModelState, strategy: Any, mode: str = "train"
) -> Callable[[Sequence[Any], Sequence[Any]], Any]:
    """step(features, labels), each a list with one array a replica, returns the mean of the replicas' losses.

    model_fn(features, labels) returns the loss and an operation, or None.
    """

    def replica(features: Any, labels: Any) -> Any:
        with graph.building(mode):
            loss, operation = model_fn(features, labels)
            if operation is not None:
                operation.run()
            return loss

    @tf.function
    def compiled(features: Any, labels: Any) -> Any:
        losses = strategy.run(replica, args=(features, labels))
        return strategy.reduce("MEAN", losses, axis=None)

    def step(features: Sequence[Any], labels: Sequence[Any]) -> Any:
        def spread(rows: Sequence[Any]) -> Any:
            return strategy.experimental_distribute_values_from_function(
                lambda context: tf.constant(rows[context.replica_id_in_sync_group])
            )

        return float(compiled(spread(features), spread(labels)))

    return step
