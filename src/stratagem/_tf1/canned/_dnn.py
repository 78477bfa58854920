"""DNNClassifier, DNNRegressor, DNNEstimator: networks of dense layers."""

import os
from collections.abc import Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._ops import relu
from stratagem._tf1.canned._arguments import class_head, columns_of, graph_class_head, graph_regression_head
from stratagem._tf1.canned._head import Head
from stratagem._tf1.canned._models import ModelPart, dnn_part, model_fn_of
from stratagem._tf1.canned._optimizers import DNN_RATE
from stratagem._tf1.canned._regression_heads import RegressionHead
from stratagem._tf1.estimator import Estimator, RunConfig


def _part(
    hidden_units: Sequence[int],
    feature_columns: Any,
    optimizer: Any,
    activation_fn: UserFunction | None,
    dropout: float | None,
    batch_norm: bool,
) -> ModelPart:
    """Returns the network."""
    columns = columns_of(feature_columns)
    return dnn_part(columns, hidden_units, optimizer, activation_fn, dropout, None, DNN_RATE, normalize=batch_norm)


@exported("estimator.DNNClassifier", v1=())
@final
class DNNClassifier(Estimator):
    """`tf.estimator.DNNClassifier`: classes from a network of dense layers.

    hidden_units: the sizes of the layers. feature_columns: dense ones. optimizer: a name, an optimizer, or a function that
    returns one. dropout: the share of outputs that training drops. batch_norm: normalizes each layer.
    n_classes, weight_column, label_vocabulary, loss_reduction: those of the head.

    Raises ValueError for fewer than two classes, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self, hidden_units: Sequence[int], feature_columns: Any, model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2, weight_column: Any = None, label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad", activation_fn: UserFunction | None = relu, dropout: float | None = None,
        config: RunConfig | None = None, warm_start_from: Any = None, loss_reduction: str = "sum_over_batch_size",
        batch_norm: bool = False,
    ) -> None:  # fmt: skip
        part = _part(hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config, None, warm_start_from)


@exported(v1=["estimator.DNNClassifier"])
@final
class GraphDNNClassifier(Estimator):
    """`tf.compat.v1.estimator.DNNClassifier`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.DNNClassifier`; loss_reduction is one of `tf1.losses.Reduction`.
    input_layer_partitioner changes nothing.
    """

    def __init__(
        self, hidden_units: Sequence[int], feature_columns: Any, model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2, weight_column: Any = None, label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad", activation_fn: UserFunction | None = relu, dropout: float | None = None,
        input_layer_partitioner: object = None, config: RunConfig | None = None, warm_start_from: Any = None,
        loss_reduction: str = "weighted_sum", batch_norm: bool = False,
    ) -> None:  # fmt: skip
        part = _part(hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        head = graph_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config, None, warm_start_from)


@exported("estimator.DNNRegressor", v1=())
@final
class DNNRegressor(Estimator):
    """`tf.estimator.DNNRegressor`: numbers from a network of dense layers.

    hidden_units: the sizes of the layers. feature_columns: dense ones. optimizer: a name, an optimizer, or a function that
    returns one. dropout: the share of outputs that training drops. batch_norm: normalizes each layer.
    label_dimension, weight_column, loss_reduction: those of the head.

    Raises ValueError for a dimension that is not positive, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self, hidden_units: Sequence[int], feature_columns: Any, model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1, weight_column: Any = None, optimizer: Any = "Adagrad",
        activation_fn: UserFunction | None = relu, dropout: float | None = None, config: RunConfig | None = None,
        warm_start_from: Any = None, loss_reduction: str = "sum_over_batch_size", batch_norm: bool = False,
    ) -> None:  # fmt: skip
        part = _part(hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config, None, warm_start_from)


@exported(v1=["estimator.DNNRegressor"])
@final
class GraphDNNRegressor(Estimator):
    """`tf.compat.v1.estimator.DNNRegressor`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.DNNRegressor`; loss_reduction is one of `tf1.losses.Reduction`.
    input_layer_partitioner changes nothing.
    """

    def __init__(
        self, hidden_units: Sequence[int], feature_columns: Any, model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1, weight_column: Any = None, optimizer: Any = "Adagrad",
        activation_fn: UserFunction | None = relu, dropout: float | None = None, input_layer_partitioner: object = None,
        config: RunConfig | None = None, warm_start_from: Any = None, loss_reduction: str = "weighted_sum",
        batch_norm: bool = False,
    ) -> None:  # fmt: skip
        part = _part(hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        head = graph_regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config, None, warm_start_from)


@exported("estimator.DNNEstimator", v1=())
@final
class DNNEstimator(Estimator):
    """`tf.estimator.DNNEstimator`: a network of dense layers, for a head.

    hidden_units: the sizes of the layers. feature_columns: dense ones. optimizer: a name, an optimizer, or a function that
    returns one. dropout: the share of outputs that training drops. batch_norm: normalizes each layer.
    head: what is made of the logits.

    Raises ValueError for what is no column or optimizer.
    """

    def __init__(
        self, head: Head, hidden_units: Sequence[int], feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None, optimizer: Any = "Adagrad",
        activation_fn: UserFunction | None = relu, dropout: float | None = None, config: RunConfig | None = None,
        warm_start_from: Any = None, batch_norm: bool = False,
    ) -> None:  # fmt: skip
        part = _part(hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config, None, warm_start_from)


@exported(v1=["estimator.DNNEstimator"])
@final
class GraphDNNEstimator(Estimator):
    """`tf.compat.v1.estimator.DNNEstimator`: its optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.DNNEstimator`. input_layer_partitioner changes nothing.
    """

    def __init__(
        self, head: Head, hidden_units: Sequence[int], feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None, optimizer: Any = "Adagrad",
        activation_fn: UserFunction | None = relu, dropout: float | None = None, input_layer_partitioner: object = None,
        config: RunConfig | None = None, warm_start_from: Any = None, batch_norm: bool = False,
    ) -> None:  # fmt: skip
        part = _part(hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config, None, warm_start_from)
