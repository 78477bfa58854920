"""Models of canned Estimators, as model_fns: logits, a head, and the optimizers' steps, TensorFlow 2's and 1's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.types import UserFunction
from stratagem._tf1.canned._arguments import checked_units
from stratagem._tf1.canned._graph_head import GraphHead
from stratagem._tf1.canned._head import Head
from stratagem._tf1.canned._logits import baseline_logits, dnn_logits, linear_logits, summarize, trainable_below
from stratagem._tf1.canned._optimizers import check_optimizer, graph_optimizer, keras_optimizer
from stratagem._tf1.canned._training import graph_train_op, kept_optimizer, keras_train_op
from stratagem._tf1.estimator import EstimatorSpec, ModeKeys
from stratagem._tf1.graph import GraphKeys, SlotNaming, get_collection, group, slots_named, variable_scope

AnyHead = Head | GraphHead
# features, the number of units, the mode, whether it is TensorFlow 1's model; returns logits.
Logits = Callable[[Any, int, str, bool], Any]


@final
@dataclass(frozen=True)
class ModelPart:
    """One part of a model, which has an optimizer of its own.

    scope: of its variables. logits: makes its output. optimizer: as the user gives it. rate: the learning rate of TensorFlow
    2's optimizer that is given by its name, None for the optimizer's own. graph_rate: that of TensorFlow 1's.
    """

    scope: str
    logits: Logits
    optimizer: Any
    rate: float | None
    graph_rate: float


@final
@dataclass(frozen=True)
class _OptimizerNames:
    """The names of what TensorFlow 1's optimizers keep: slots of variables, and below `scope` what Adam has beside them."""

    slots: SlotNaming
    scope: str


_OF_ONE_PART: Final = {
    "linear": _OptimizerNames(SlotNaming("part_0", mirrored="linear"), "linear/head"),
    "dnn": _OptimizerNames(SlotNaming("t_0", mirrored="dnn"), "dnn/head"),
    "baseline": _OptimizerNames(SlotNaming(""), "head"),
}
_OF_SEVERAL: Final = _OptimizerNames(SlotNaming(""), "head")


def linear_part(columns: Sequence[Any], optimizer: Any, sparse_combiner: str, rate: float) -> ModelPart:
    """Returns the linear part of a model. Raises ValueError for another combiner."""
    if sparse_combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {sparse_combiner!r}.")

    def logits(features: Any, units: int, mode: str, of_graph: bool) -> Any:
        return linear_logits(features, columns, units, sparse_combiner, "linear/" if of_graph else "")

    return ModelPart("linear", logits, optimizer, rate, rate)


def dnn_part(
    columns: Sequence[Any],
    hidden_units: Sequence[int],
    optimizer: Any,
    activation_fn: UserFunction | None,
    dropout: float | None,
    rate: float | None,
    graph_rate: float,
    *,
    normalize: bool,
) -> ModelPart:
    """Returns the deep part of a model. normalize: with batch normalization."""
    sizes = checked_units(hidden_units)

    def logits(features: Any, units: int, mode: str, of_graph: bool) -> Any:
        tags = "dnn/dnn/" if of_graph else "dnn/"
        return dnn_logits(features, columns, units, sizes, activation_fn, dropout, mode, tags, normalize=normalize)

    return ModelPart("dnn", logits, optimizer, rate, graph_rate)


def baseline_part(optimizer: Any, weight_column: Any, rate: float) -> ModelPart:
    """Returns a bias as a model."""

    def logits(features: Any, units: int, mode: str, of_graph: bool) -> Any:
        return baseline_logits(features, units, weight_column)

    return ModelPart("baseline", logits, optimizer, rate, rate)


def model_fn_of(
    head: AnyHead, parts: Sequence[ModelPart], *, of_graph: bool, combined: bool = False
) -> Callable[..., EstimatorSpec]:
    """Returns the model_fn of a model whose logits are the sum of those of its parts.

    of_graph: with optimizers of TensorFlow 1. combined: the model may have several parts. Raises ValueError for an optimizer
    that is none, TypeError for a head that is none.
    """
    if not isinstance(head, Head | GraphHead):
        raise TypeError(
            f"head must be a tf.estimator.Head, such as tf.estimator.RegressionHead(). Given: {head!r:.200}"
        )
    for part in parts:
        check_optimizer(part.optimizer, of_graph=of_graph)

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        outputs: list[Any] = []
        for part in parts:
            with variable_scope(part.scope):
                outputs.append(part.logits(features, head.logits_dimension, mode, of_graph))
            if combined and part.scope == "linear":
                summarize(outputs[-1], "linear/linear" if of_graph else "linear")

        def train_op(loss: Any) -> Any:
            if of_graph:
                of_head = None if isinstance(head, GraphHead) else head.training_scope
                return _graph_step(head.loss_reduction, loss, parts, of_head, combined=combined)
            scope = "training" if isinstance(head, GraphHead) else head.training_scope
            return _keras_step(head.loss_reduction, loss, parts, scope)

        logits, training = sum(outputs[1:], start=outputs[0]), mode == ModeKeys.TRAIN
        if isinstance(head, GraphHead):
            return head.create_estimator_spec(features, mode, logits, labels, train_op)
        updates = get_collection(GraphKeys.UPDATE_OPS)
        return head.create_estimator_spec(
            features, mode, logits, labels, train_op_fn=train_op if training else None, update_ops=updates
        )

    return model_fn


def _keras_step(reduction: str, loss: Any, parts: Sequence[ModelPart], scope: str) -> Any:
    """Returns the step of all parts. The first part's optimizer counts it, as in TensorFlow."""
    operations, used = [], set[str]()
    for number, part in enumerate(parts):
        variables = trainable_below(part.scope)

        def make(part: ModelPart = part) -> Any:
            return keras_optimizer(part.optimizer, part.rate)

        optimizer = kept_optimizer(scope, part.scope, make, variables, used)
        operations.append(keras_train_op(reduction, loss, optimizer, variables, counted=number == 0))
    return group(*operations)


def _graph_step(reduction: str, loss: Any, parts: Sequence[ModelPart], scope: str | None, *, combined: bool) -> Any:
    """Returns the step of all parts. scope: of what Adam keeps beside slots, under a head of TensorFlow 2."""
    operations = []
    for number, part in enumerate(parts):
        optimizer = graph_optimizer(part.optimizer, part.graph_rate)
        names = _OF_SEVERAL if combined else _OF_ONE_PART[part.scope]
        with slots_named(names.slots), variable_scope(scope or names.scope):
            variables = trainable_below(part.scope)
            operations.append(graph_train_op(reduction, loss, optimizer, variables, counted=number == 0))
    return group(*operations)
