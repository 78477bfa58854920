"""DNNLinearCombinedClassifier, DNNLinearCombinedRegressor, DNNLinearCombinedEstimator: wide and deep models."""

import os
from collections.abc import Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._ops import relu
from stratagem._tf1.canned._arguments import class_head, columns_of, graph_class_head, graph_regression_head
from stratagem._tf1.canned._head import Head
from stratagem._tf1.canned._models import ModelPart, dnn_part, linear_part, model_fn_of
from stratagem._tf1.canned._optimizers import COMBINED_DNN_RATE, combined_linear_rate
from stratagem._tf1.canned._regression_heads import RegressionHead
from stratagem._tf1.estimator import Estimator, RunConfig


def _linear(feature_columns: Any, optimizer: Any, sparse_combiner: str) -> ModelPart | None:
    """Returns the linear part; None without columns."""
    columns = columns_of(feature_columns)
    return linear_part(columns, optimizer, sparse_combiner, combined_linear_rate(columns)) if columns else None


def _dnn(
    feature_columns: Any,
    hidden_units: Sequence[int] | None,
    optimizer: Any,
    activation_fn: UserFunction | None,
    dropout: float | None,
    batch_norm: bool,
) -> ModelPart | None:
    """Returns the deep part; None without columns. Raises ValueError for columns without hidden units."""
    columns = columns_of(feature_columns)
    if not columns:
        return None
    if not hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    rate = COMBINED_DNN_RATE
    return dnn_part(columns, hidden_units, optimizer, activation_fn, dropout, rate, rate, normalize=batch_norm)


def _both(linear: ModelPart | None, dnn: ModelPart | None) -> list[ModelPart]:
    """Returns the parts that there are, the deep one first, whose optimizer counts the steps."""
    if linear is None and dnn is None:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    return [part for part in (dnn, linear) if part is not None]


@exported("estimator.DNNLinearCombinedClassifier", v1=())
@final
class DNNLinearCombinedClassifier(Estimator):
    """`tf.estimator.DNNLinearCombinedClassifier`: classes from a linear model and a network of dense layers together.

    The arguments that begin with linear_ and dnn_ are those of the Linear and DNN Estimators.
    n_classes, weight_column, label_vocabulary, loss_reduction: those of the head.

    Raises ValueError for fewer than two classes, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None, dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: UserFunction | None = relu,
        dnn_dropout: float | None = None, n_classes: int = 2, weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None, config: RunConfig | None = None, warm_start_from: Any = None,
        loss_reduction: str = "sum_over_batch_size", batch_norm: bool = False, linear_sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        linear = _linear(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        dnn = _dnn(dnn_feature_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = model_fn_of(head, _both(linear, dnn), of_graph=False, combined=True)
        super().__init__(model_fn, model_dir, config, None, warm_start_from)


@exported(v1=["estimator.DNNLinearCombinedClassifier"])
@final
class GraphDNNLinearCombinedClassifier(Estimator):
    """`tf.compat.v1.estimator.DNNLinearCombinedClassifier`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.DNNLinearCombinedClassifier`; loss_reduction is one of
    `tf1.losses.Reduction`. input_layer_partitioner changes nothing.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None, dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: UserFunction | None = relu,
        dnn_dropout: float | None = None, n_classes: int = 2, weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None, input_layer_partitioner: object = None,
        config: RunConfig | None = None, warm_start_from: Any = None, loss_reduction: str = "weighted_sum",
        batch_norm: bool = False, linear_sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        linear = _linear(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        dnn = _dnn(dnn_feature_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm)
        head = graph_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = model_fn_of(head, _both(linear, dnn), of_graph=True, combined=True)
        super().__init__(model_fn, model_dir, config, None, warm_start_from)


@exported("estimator.DNNLinearCombinedRegressor", v1=())
@final
class DNNLinearCombinedRegressor(Estimator):
    """`tf.estimator.DNNLinearCombinedRegressor`: numbers from a linear model and a network of dense layers together.

    The arguments that begin with linear_ and dnn_ are those of the Linear and DNN Estimators.
    label_dimension, weight_column, loss_reduction: those of the head.

    Raises ValueError for a dimension that is not positive, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None, dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: UserFunction | None = relu,
        dnn_dropout: float | None = None, label_dimension: int = 1, weight_column: Any = None,
        config: RunConfig | None = None, warm_start_from: Any = None, loss_reduction: str = "sum_over_batch_size",
        batch_norm: bool = False, linear_sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        linear = _linear(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        dnn = _dnn(dnn_feature_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model_fn = model_fn_of(head, _both(linear, dnn), of_graph=False, combined=True)
        super().__init__(model_fn, model_dir, config, None, warm_start_from)


@exported(v1=["estimator.DNNLinearCombinedRegressor"])
@final
class GraphDNNLinearCombinedRegressor(Estimator):
    """`tf.compat.v1.estimator.DNNLinearCombinedRegressor`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.DNNLinearCombinedRegressor`; loss_reduction is one of
    `tf1.losses.Reduction`. input_layer_partitioner changes nothing.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None, dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: UserFunction | None = relu,
        dnn_dropout: float | None = None, label_dimension: int = 1, weight_column: Any = None,
        input_layer_partitioner: object = None, config: RunConfig | None = None, warm_start_from: Any = None,
        loss_reduction: str = "weighted_sum", batch_norm: bool = False, linear_sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        linear = _linear(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        dnn = _dnn(dnn_feature_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm)
        head = graph_regression_head(label_dimension, weight_column, loss_reduction)
        model_fn = model_fn_of(head, _both(linear, dnn), of_graph=True, combined=True)
        super().__init__(model_fn, model_dir, config, None, warm_start_from)


@exported("estimator.DNNLinearCombinedEstimator", v1=())
@final
class DNNLinearCombinedEstimator(Estimator):
    """`tf.estimator.DNNLinearCombinedEstimator`: a linear model and a network of dense layers together, for a head.

    The arguments that begin with linear_ and dnn_ are those of the Linear and DNN Estimators.
    head: what is made of the logits.

    Raises ValueError for what is no column or optimizer.
    """

    def __init__(
        self, head: Head, model_dir: str | os.PathLike[str] | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None, dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: UserFunction | None = relu,
        dnn_dropout: float | None = None, config: RunConfig | None = None, batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        linear = _linear(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        dnn = _dnn(dnn_feature_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm)
        model_fn = model_fn_of(head, _both(linear, dnn), of_graph=False, combined=True)
        super().__init__(model_fn, model_dir, config)


@exported(v1=["estimator.DNNLinearCombinedEstimator"])
@final
class GraphDNNLinearCombinedEstimator(Estimator):
    """`tf.compat.v1.estimator.DNNLinearCombinedEstimator`: its optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.DNNLinearCombinedEstimator`. input_layer_partitioner changes nothing.
    """

    def __init__(
        self, head: Head, model_dir: str | os.PathLike[str] | None = None, linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl", dnn_feature_columns: Any = None, dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None, dnn_activation_fn: UserFunction | None = relu,
        dnn_dropout: float | None = None, input_layer_partitioner: object = None, config: RunConfig | None = None,
        batch_norm: bool = False, linear_sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        linear = _linear(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        dnn = _dnn(dnn_feature_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm)
        model_fn = model_fn_of(head, _both(linear, dnn), of_graph=True, combined=True)
        super().__init__(model_fn, model_dir, config)
