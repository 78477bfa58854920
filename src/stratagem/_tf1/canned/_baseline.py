"""BaselineClassifier, BaselineRegressor, BaselineEstimator: predictions that do not depend on the features."""

import os
from collections.abc import Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._tf1.canned._arguments import class_head, graph_class_head, graph_regression_head
from stratagem._tf1.canned._head import Head
from stratagem._tf1.canned._models import baseline_part, model_fn_of
from stratagem._tf1.canned._optimizers import BASELINE_RATE
from stratagem._tf1.canned._regression_heads import RegressionHead
from stratagem._tf1.estimator import Estimator, RunConfig


@exported("estimator.BaselineClassifier", v1=())
@final
class BaselineClassifier(Estimator):
    """`tf.estimator.BaselineClassifier`: how often each class occurs, whatever the features.

    optimizer: a name, an optimizer, or a function that returns one.
    n_classes, weight_column, label_vocabulary, loss_reduction: those of the head.

    Raises ValueError for fewer than two classes, another reduction, and what is no optimizer.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, n_classes: int = 2, weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None, optimizer: Any = "Ftrl", config: RunConfig | None = None,
        loss_reduction: str = "sum_over_batch_size",
    ) -> None:  # fmt: skip
        part = baseline_part(optimizer, weight_column, BASELINE_RATE)
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config)


@exported(v1=["estimator.BaselineClassifier"])
@final
class GraphBaselineClassifier(Estimator):
    """`tf.compat.v1.estimator.BaselineClassifier`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.BaselineClassifier`; loss_reduction is one of `tf1.losses.Reduction`.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, n_classes: int = 2, weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None, optimizer: Any = "Ftrl", config: RunConfig | None = None,
        loss_reduction: str = "weighted_sum",
    ) -> None:  # fmt: skip
        part = baseline_part(optimizer, weight_column, BASELINE_RATE)
        head = graph_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config)


@exported("estimator.BaselineRegressor", v1=())
@final
class BaselineRegressor(Estimator):
    """`tf.estimator.BaselineRegressor`: the mean of the labels, whatever the features.

    optimizer: a name, an optimizer, or a function that returns one.
    label_dimension, weight_column, loss_reduction: those of the head.

    Raises ValueError for a dimension that is not positive, another reduction, and what is no optimizer.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, label_dimension: int = 1, weight_column: Any = None,
        optimizer: Any = "Ftrl", config: RunConfig | None = None, loss_reduction: str = "sum_over_batch_size",
    ) -> None:  # fmt: skip
        part = baseline_part(optimizer, weight_column, BASELINE_RATE)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config)


@exported(v1=["estimator.BaselineRegressor"])
@final
class GraphBaselineRegressor(Estimator):
    """`tf.compat.v1.estimator.BaselineRegressor`: its losses, metrics and optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.BaselineRegressor`; loss_reduction is one of `tf1.losses.Reduction`.
    """

    def __init__(
        self, model_dir: str | os.PathLike[str] | None = None, label_dimension: int = 1, weight_column: Any = None,
        optimizer: Any = "Ftrl", config: RunConfig | None = None, loss_reduction: str = "weighted_sum",
    ) -> None:  # fmt: skip
        part = baseline_part(optimizer, weight_column, BASELINE_RATE)
        head = graph_regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config)


@exported("estimator.BaselineEstimator", v1=())
@final
class BaselineEstimator(Estimator):
    """`tf.estimator.BaselineEstimator`: a bias, for a head.

    optimizer: a name, an optimizer, or a function that returns one.
    head: what is made of the logits.

    Raises ValueError for what is no optimizer.
    """

    def __init__(
        self, head: Head, model_dir: str | os.PathLike[str] | None = None, optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
    ) -> None:  # fmt: skip
        part = baseline_part(optimizer, None, BASELINE_RATE)
        super().__init__(model_fn_of(head, [part], of_graph=False), model_dir, config)


@exported(v1=["estimator.BaselineEstimator"])
@final
class GraphBaselineEstimator(Estimator):
    """`tf.compat.v1.estimator.BaselineEstimator`: its optimizers are TensorFlow 1's.

    Arguments and errors are those of `tf.estimator.BaselineEstimator`.
    """

    def __init__(
        self, head: Head, model_dir: str | os.PathLike[str] | None = None, optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
    ) -> None:  # fmt: skip
        part = baseline_part(optimizer, None, BASELINE_RATE)
        super().__init__(model_fn_of(head, [part], of_graph=True), model_dir, config)
