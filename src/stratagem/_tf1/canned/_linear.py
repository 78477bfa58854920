"""LinearClassifier, LinearRegressor, LinearEstimator: weighted sums of columns."""

import functools
import math
import os
from collections.abc import Sequence
from typing import Any, final

from stratagem._legacy import LegacyFtrl
from stratagem._tf1.canned._arguments import class_head, columns_of, graph_class_head, graph_regression_head
from stratagem._tf1.canned._head import Head
from stratagem._tf1.canned._models import linear_part, model_fn_of
from stratagem._tf1.canned._optimizers import LINEAR_RATE
from stratagem._tf1.canned._regression_heads import RegressionHead
from stratagem._tf1.estimator import Estimator, RunConfig
from stratagem._tf1.graph.train import FtrlOptimizer


def _default(columns: Sequence[Any], *, of_graph: bool) -> Any:
    """Returns TensorFlow's optimizer for `optimizer=None`: its learning rate depends on the number of columns."""
    rate = min(LINEAR_RATE, 1.0 / math.sqrt(max(len(columns), 1)))
    return functools.partial(FtrlOptimizer if of_graph else LegacyFtrl, rate)


@final
class LinearClassifier(Estimator):
    """`tf.estimator.LinearClassifier`: classes from weighted sums of columns.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    n_classes, weight_column, label_vocabulary, loss_reduction: those of the head.

    Raises ValueError for fewer than two classes, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        sparse_combiner: str = "sum",
    ) -> None:
        columns = columns_of(feature_columns)
        parts = [linear_part(columns, optimizer or _default(columns, of_graph=False), sparse_combiner, LINEAR_RATE)]
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = model_fn_of(head, parts, of_graph=False)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@final
class GraphLinearClassifier(Estimator):
    """`tf.compat.v1.estimator.LinearClassifier`: classes from weighted sums of columns.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    n_classes, weight_column, label_vocabulary, loss_reduction: those of the head.

    Raises ValueError for fewer than two classes, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: object = None,
        warm_start_from: Any = None,
        loss_reduction: str = "weighted_sum",
        sparse_combiner: str = "sum",
    ) -> None:
        columns = columns_of(feature_columns)
        parts = [linear_part(columns, optimizer or _default(columns, of_graph=True), sparse_combiner, LINEAR_RATE)]
        head = graph_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = model_fn_of(head, parts, of_graph=True)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@final
class LinearRegressor(Estimator):
    """`tf.estimator.LinearRegressor`: numbers from weighted sums of columns.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    label_dimension, weight_column, loss_reduction: those of the head.

    Raises ValueError for a dimension that is not positive, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        warm_start_from: Any = None,
        loss_reduction: str = "sum_over_batch_size",
        sparse_combiner: str = "sum",
    ) -> None:
        columns = columns_of(feature_columns)
        parts = [linear_part(columns, optimizer or _default(columns, of_graph=False), sparse_combiner, LINEAR_RATE)]
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model_fn = model_fn_of(head, parts, of_graph=False)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@final
class GraphLinearRegressor(Estimator):
    """`tf.compat.v1.estimator.LinearRegressor`: numbers from weighted sums of columns.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    label_dimension, weight_column, loss_reduction: those of the head.

    Raises ValueError for a dimension that is not positive, another reduction, and what is no column or optimizer.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: object = None,
        warm_start_from: Any = None,
        loss_reduction: str = "weighted_sum",
        sparse_combiner: str = "sum",
    ) -> None:
        columns = columns_of(feature_columns)
        parts = [linear_part(columns, optimizer or _default(columns, of_graph=True), sparse_combiner, LINEAR_RATE)]
        head = graph_regression_head(label_dimension, weight_column, loss_reduction)
        model_fn = model_fn_of(head, parts, of_graph=True)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@final
class LinearEstimator(Estimator):
    """`tf.estimator.LinearEstimator`: weighted sums of columns, for a head.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    head: what is made of the logits.

    Raises ValueError for what is no column or optimizer.
    """

    def __init__(
        self,
        head: Head,
        feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        columns = columns_of(feature_columns)
        parts = [linear_part(columns, optimizer or _default(columns, of_graph=False), sparse_combiner, LINEAR_RATE)]
        model_fn = model_fn_of(head, parts, of_graph=False)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@final
class GraphLinearEstimator(Estimator):
    """`tf.compat.v1.estimator.LinearEstimator`: weighted sums of columns, for a head.

    feature_columns: dense and categorical ones. optimizer: a name, an optimizer, or a function that returns one.
    sparse_combiner: of the weights of several ids: sum, mean or sqrtn.
    head: what is made of the logits.

    Raises ValueError for what is no column or optimizer.
    """

    def __init__(
        self,
        head: Head,
        feature_columns: Any,
        model_dir: str | os.PathLike[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: object = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        columns = columns_of(feature_columns)
        parts = [linear_part(columns, optimizer or _default(columns, of_graph=True), sparse_combiner, LINEAR_RATE)]
        model_fn = model_fn_of(head, parts, of_graph=True)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
