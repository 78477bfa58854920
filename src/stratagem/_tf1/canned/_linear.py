"""LinearClassifier, LinearRegressor, LinearEstimator: weighted sums of columns."""

import functools
import math
import os
from collections.abc import Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._legacy import LegacyFtrl
from stratagem._tf1.canned._arguments import class_head, columns_of, graph_class_head, graph_regression_head
from stratagem._tf1.canned._head import Head
from stratagem._tf1.canned._models import ModelPart, linear_part, model_fn_of
from stratagem._tf1.canned._optimizers import LINEAR_RATE
from stratagem._tf1.canned._regression_heads import RegressionHead
from stratagem._tf1.estimator import Estimator, RunConfig
from stratagem._tf1.graph.train import FtrlOptimizer


def _part(feature_columns: Any, optimizer: Any, sparse_combiner: str, *, of_graph: bool) -> ModelPart:
    """Returns the sums. For `optimizer=None` the learning rate of TensorFlow's optimizer depends on the number of columns."""
    columns = columns_of(feature_columns)
    rate = min(LINEAR_RATE, 1.0 / math.sqrt(max(len(columns), 1)))
    default = functools.partial(FtrlOptimizer if of_graph else LegacyFtrl, rate)
    return linear_part(columns, optimizer or default, sparse_combiner, LINEAR_RATE)


@exported("estimator.LinearClassifier", v1=())
@final
class LinearClassifier(Estimator):
    """`tf.estimator.LinearClassifier`: classes from weighted sums of columns.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    n_classes, weight_column, label_vocabulary, loss_reduction: those of the head.

    Raises ValueError for fewer than two classes, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self, feature_columns: Any, model_dir: str | os.PathLike[str] | None = None, n_classes: int = 2,
        weight_column: Any = None, label_vocabulary: Sequence[str] | None = None, optimizer: Any = "Ftrl",
        config: RunConfig | None = None, warm_start_from: Any = None, loss_reduction: str = "sum_over_batch_size",
        sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        part = _part(feature_columns, optimizer, sparse_combiner, of_graph=False)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config, None, warm_start_from)


@exported(v1=["estimator.LinearClassifier"])
@final
class GraphLinearClassifier(Estimator):
    """`tf.compat.v1.estimator.LinearClassifier`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.LinearClassifier`; loss_reduction is one of `tf1.losses.Reduction`.
    partitioner changes nothing.
    """

    def __init__(
        self, feature_columns: Any, model_dir: str | os.PathLike[str] | None = None, n_classes: int = 2,
        weight_column: Any = None, label_vocabulary: Sequence[str] | None = None, optimizer: Any = "Ftrl",
        config: RunConfig | None = None, partitioner: object = None, warm_start_from: Any = None,
        loss_reduction: str = "weighted_sum", sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        part = _part(feature_columns, optimizer, sparse_combiner, of_graph=True)
        head = graph_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config, None, warm_start_from)


@exported("estimator.LinearRegressor", v1=())
@final
class LinearRegressor(Estimator):
    """`tf.estimator.LinearRegressor`: numbers from weighted sums of columns.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    label_dimension, weight_column, loss_reduction: those of the head.

    Raises ValueError for a dimension that is not positive, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self, feature_columns: Any, model_dir: str | os.PathLike[str] | None = None, label_dimension: int = 1,
        weight_column: Any = None, optimizer: Any = "Ftrl", config: RunConfig | None = None,
        warm_start_from: Any = None, loss_reduction: str = "sum_over_batch_size", sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        part = _part(feature_columns, optimizer, sparse_combiner, of_graph=False)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config, None, warm_start_from)


@exported(v1=["estimator.LinearRegressor"])
@final
class GraphLinearRegressor(Estimator):
    """`tf.compat.v1.estimator.LinearRegressor`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.LinearRegressor`; loss_reduction is one of `tf1.losses.Reduction`.
    partitioner changes nothing.
    """

    def __init__(
        self, feature_columns: Any, model_dir: str | os.PathLike[str] | None = None, label_dimension: int = 1,
        weight_column: Any = None, optimizer: Any = "Ftrl", config: RunConfig | None = None, partitioner: object = None,
        warm_start_from: Any = None, loss_reduction: str = "weighted_sum", sparse_combiner: str = "sum",
    ) -> None:  # fmt: skip
        part = _part(feature_columns, optimizer, sparse_combiner, of_graph=True)
        head = graph_regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config, None, warm_start_from)


@exported("estimator.LinearEstimator", v1=())
@final
class LinearEstimator(Estimator):
    """`tf.estimator.LinearEstimator`: weighted sums of columns, for a head.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    head: what is made of the logits.

    Raises ValueError for what is no column or optimizer.
    """

    def __init__(
        self, head: Head, feature_columns: Any, model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Ftrl", config: RunConfig | None = None, sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:  # fmt: skip
        part = _part(feature_columns, optimizer, sparse_combiner, of_graph=False)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config, None, warm_start_from)


@exported(v1=["estimator.LinearEstimator"])
@final
class GraphLinearEstimator(Estimator):
    """`tf.compat.v1.estimator.LinearEstimator`: its optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.LinearEstimator`. partitioner changes nothing.
    """

    def __init__(
        self, head: Head, feature_columns: Any, model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Ftrl", config: RunConfig | None = None, partitioner: object = None,
        sparse_combiner: str = "sum", warm_start_from: Any = None,
    ) -> None:  # fmt: skip
        part = _part(feature_columns, optimizer, sparse_combiner, of_graph=True)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config, None, warm_start_from)
