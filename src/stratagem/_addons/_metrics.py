"""Metrics of TensorFlow Addons. Their variables are sums, so that replicas add them."""

from typing import Any

import keras
from keras import ops

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike

_PACKAGE = "Addons"
_MULTIOUTPUT = ("raw_values", "uniform_average", "variance_weighted")


def _divided(a: Any, b: Any) -> Any:
    """a / b, and 0 where b is 0."""
    return ops.where(b == 0, ops.zeros_like(a), a / ops.where(b == 0, ops.ones_like(b), b))


def _chosen(y_pred: Any, threshold: float | None) -> Any:
    """Booleans: the largest of each row, unless it is 0, or those above the threshold."""
    if threshold is not None:
        return y_pred > threshold
    return ops.logical_and(y_pred >= ops.max(y_pred, axis=-1, keepdims=True), ops.abs(y_pred) > 1e-12)


def _confusions(labels: Any, predictions: Any, classes: int, weights: Any, dtype: str) -> Any:
    """The matrix of how often, or with what weight, each label was predicted as each class."""
    labels, predictions = (ops.one_hot(ops.reshape(v, (-1,)), classes, dtype=dtype) for v in (labels, predictions))
    if weights is not None:
        labels = labels * ops.reshape(ops.cast(weights, dtype), (-1, 1))
    return ops.matmul(ops.transpose(labels), predictions)


@exported("addons.metrics.FBetaScore")
@keras.saving.register_keras_serializable(_PACKAGE)
class FBetaScore(keras.metrics.Metric):  # type: ignore[misc]
    """The harmonic mean of precision and recall (van Rijsbergen 1979), of each class or averaged over classes.

    Labels (n, num_classes) of 0 and 1, and predictions of that shape. average: None, "micro" (over all decisions), "macro"
    (over classes) or "weighted" (over classes, by their labels). beta: the weight of recall. threshold: None: the largest
    prediction of a row counts. Raises ValueError or TypeError for other arguments.
    """

    def __init__(
        self,
        num_classes: int,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str = "fbeta_score",
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError("Unknown average type. Acceptable values are: [None, 'micro', 'macro', 'weighted']")
        if not isinstance(beta, float):
            raise TypeError("The value of beta should be a python float")
        if beta <= 0.0:
            raise ValueError("beta value should be greater than zero")
        if threshold is not None and not isinstance(threshold, float):
            raise TypeError("The value of threshold should be a python float")
        if threshold is not None and not 0.0 < threshold <= 1.0:
            raise ValueError("threshold should be between 0 and 1")
        self.num_classes, self.average, self.beta, self.threshold = num_classes, average, beta, threshold
        self.axis = None if average == "micro" else 0
        shape = () if average == "micro" else (num_classes,)
        names = ("true_positives", "false_positives", "false_negatives", "weights_intermediate")
        for each in names:
            setattr(self, each, self.add_weight(shape=shape, initializer="zeros", name=each))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts the decisions about a batch."""
        predicted = ops.cast(_chosen(ops.convert_to_tensor(y_pred), self.threshold), self.dtype)
        y_true = ops.cast(y_true, self.dtype)
        weights = 1 if sample_weight is None else ops.expand_dims(ops.cast(sample_weight, self.dtype), 1)
        for variable, counted in (
            (self.true_positives, predicted * y_true),
            (self.false_positives, predicted * (1 - y_true)),
            (self.false_negatives, (1 - predicted) * y_true),
            (self.weights_intermediate, y_true),
        ):
            variable.assign_add(ops.sum(counted * weights, axis=self.axis))

    def result(self) -> Any:
        """Returns the scores of the classes, or their average."""
        right = ops.convert_to_tensor(self.true_positives)
        precision = _divided(right, right + self.false_positives)
        recall = _divided(right, right + self.false_negatives)
        square = self.beta**2
        scores = (1 + square) * _divided(precision * recall, square * precision + recall)
        if self.average is None:
            return scores
        if self.average != "weighted":
            return ops.mean(scores)
        weights = ops.convert_to_tensor(self.weights_intermediate)
        return ops.sum(scores * _divided(weights, ops.sum(weights) * ops.ones_like(weights)))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        mine = {name: getattr(self, name) for name in ("num_classes", "average", "beta", "threshold")}
        return {**super().get_config(), **mine}


@exported("addons.metrics.F1Score")
@keras.saving.register_keras_serializable(_PACKAGE)
class F1Score(FBetaScore):
    """The harmonic mean of precision and recall with equal weights, as `FBetaScore`."""

    def __init__(
        self,
        num_classes: int,
        average: str | None = None,
        threshold: float | None = None,
        name: str = "f1_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(num_classes, average, 1.0, threshold, name=name, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {key: value for key, value in super().get_config().items() if key != "beta"}


@exported("addons.metrics.CohenKappa")
@keras.saving.register_keras_serializable(_PACKAGE)
class CohenKappa(keras.metrics.Metric):  # type: ignore[misc]
    """The agreement of labels and predictions beyond chance (Cohen 1960), from -1 to 1.

    num_classes: 2: predictions are probabilities of the second. weightage: None, "linear" or "quadratic": how much a confusion
    of distant classes counts (Cohen 1968). sparse_labels: labels are numbers, not one-hot rows. regression: predictions of more
    than one dimension are numbers to be rounded, not scores. Raises ValueError for other arguments.
    """

    def __init__(
        self,
        num_classes: int,
        name: str = "cohen_kappa",
        weightage: str | None = None,
        sparse_labels: bool = False,
        regression: bool = False,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if weightage not in (None, "linear", "quadratic"):
            raise ValueError("Unknown kappa weighting type.")
        if num_classes < 2:
            raise ValueError(f"Number of classes must be greater than or equal to two, and is {num_classes}.")
        self.num_classes, self.weightage = num_classes, weightage
        self.sparse_labels, self.regression = sparse_labels, regression
        self.conf_mtx = self.add_weight(shape=(num_classes, num_classes), initializer="zeros", name="conf_mtx")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts the labels and predictions of a batch."""
        y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        if self.num_classes == 2:
            y_pred = y_pred > 0.5
        else:
            y_true = y_true if self.sparse_labels else ops.argmax(y_true, axis=1)
            if len(y_pred.shape) > 1:
                y_pred = ops.round(ops.abs(y_pred)) if self.regression else ops.argmax(y_pred, axis=-1)
        labels, predictions = (ops.cast(v, "int32") for v in (y_true, y_pred))
        self.conf_mtx.assign_add(_confusions(labels, predictions, self.num_classes, sample_weight, self.dtype))

    def result(self) -> Any:
        """Returns the agreement."""
        found = ops.convert_to_tensor(self.conf_mtx)
        ranks = ops.arange(self.num_classes, dtype=found.dtype)
        apart = ops.abs(ops.expand_dims(ranks, 1) - ranks)
        cost = {"linear": apart, "quadratic": ops.square(apart)}.get(
            self.weightage or "", ops.cast(apart > 0, found.dtype)
        )
        by_chance = ops.expand_dims(ops.sum(found, axis=0), 1) * ops.sum(found, axis=1)
        expected, observed = (_divided(ops.sum(cost * m), ops.sum(m)) for m in (by_chance, found))
        return 1 - _divided(observed, expected)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        mine = {name: getattr(self, name) for name in ("num_classes", "weightage", "sparse_labels", "regression")}
        return {**super().get_config(), **mine}


@exported("addons.metrics.MatthewsCorrelationCoefficient")
@keras.saving.register_keras_serializable(_PACKAGE)
class MatthewsCorrelationCoefficient(keras.metrics.Metric):  # type: ignore[misc]
    """The correlation of labels and predictions (Gorodkin 2004), from -1 to 1; 0 where it is not defined.

    Labels and predictions are (n, num_classes).
    """

    def __init__(
        self,
        num_classes: int,
        name: str = "MatthewsCorrelationCoefficient",
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.conf_mtx = self.add_weight(shape=(num_classes, num_classes), initializer="zeros", name="conf_mtx")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Counts the labels and predictions of a batch."""
        labels, predictions = (ops.argmax(ops.convert_to_tensor(v), axis=1) for v in (y_true, y_pred))
        self.conf_mtx.assign_add(_confusions(labels, predictions, self.num_classes, sample_weight, self.dtype))

    def result(self) -> Any:
        """Returns the correlation."""
        found = ops.convert_to_tensor(self.conf_mtx)
        labels, predictions = ops.sum(found, axis=1), ops.sum(found, axis=0)
        right, count = ops.trace(found), ops.sum(found)
        together = right * count - ops.sum(labels * predictions)
        alone = [count * count - ops.sum(v * v) for v in (labels, predictions)]
        return _divided(together, ops.sqrt(alone[0] * alone[1]))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "num_classes": self.num_classes}


@exported("addons.metrics.HammingLoss")
@keras.saving.register_keras_serializable(_PACKAGE)
class HammingLoss(keras.metrics.MeanMetricWrapper):  # type: ignore[misc]
    """The share of wrong labels, of examples ("multiclass") or of decisions ("multilabel"); TypeError for another mode."""

    def __init__(
        self,
        mode: str,
        name: str = "hamming_loss",
        threshold: float | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(hamming_loss_fn, name=name, dtype=dtype, mode=mode, threshold=threshold)


@exported("addons.metrics.hamming_loss_fn")
def hamming_loss_fn(y_true: Any, y_pred: Any, threshold: float | None, mode: str) -> Any:
    """Returns the share of wrong labels of every example: 0 or 1 if mode is "multiclass". Raises TypeError for another mode."""
    if mode not in ("multiclass", "multilabel"):
        raise TypeError(f"mode must be either multiclass or multilabel, and is {mode!r}")
    predicted = _chosen(ops.convert_to_tensor(y_pred), threshold)
    wanted = ops.cast(ops.cast(y_true, "int32"), "bool")
    if mode == "multiclass":
        return 1.0 - ops.cast(ops.sum(ops.cast(ops.logical_and(wanted, predicted), "int32"), axis=-1), "float32")
    return ops.mean(ops.cast(ops.logical_xor(wanted, predicted), "float32"), axis=-1)


@exported("addons.metrics.hamming_distance")
def hamming_distance(actuals: Any, predictions: Any) -> Any:
    """Returns the share of numbers that differ."""
    return ops.mean(ops.cast(ops.not_equal(actuals, predictions), "float32"))


@exported("addons.metrics.RSquare")
@keras.saving.register_keras_serializable(_PACKAGE)
class RSquare(keras.metrics.Metric):  # type: ignore[misc]
    """The share of the labels' variance that predictions explain (the coefficient of determination), at most 1.

    multioutput: of several outputs "raw_values", their mean ("uniform_average") or their mean weighted by variance
    ("variance_weighted"). num_regressors: other than 0 for the adjusted share. Raises ValueError for other arguments.
    """

    def __init__(
        self,
        name: str = "r_square",
        dtype: DTypeLike | None = None,
        multioutput: str = "uniform_average",
        num_regressors: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if multioutput not in _MULTIOUTPUT:
            raise ValueError(f"The multioutput argument must be one of {_MULTIOUTPUT}, but was: {multioutput}")
        if num_regressors < 0:
            raise ValueError("num_regressors parameter should be greater than or equal to zero")
        self.multioutput, self.num_regressors = multioutput, num_regressors
        self.num_samples = self.add_weight(shape=(), initializer="zeros", name="num_samples")
        self._sums: tuple[Any, ...] = ()

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds the labels and errors of a batch."""
        y_true, y_pred = (ops.cast(v, self.dtype) for v in (y_true, y_pred))
        if not self._sums:
            names = ("squared_sum", "sum", "residual", "count")
            shape = tuple(y_true.shape)[1:]
            self._sums = tuple(self.add_weight(shape=shape, initializer="zeros", name=name) for name in names)
        weights = ops.cast(1 if sample_weight is None else sample_weight, self.dtype)
        weights = ops.reshape(weights, (*weights.shape, *[1] * (len(y_true.shape) - len(weights.shape))))
        added = (y_true * y_true, y_true, ops.square(y_true - y_pred), ops.ones_like(y_true))
        for variable, values in zip(self._sums, added, strict=True):
            variable.assign_add(ops.sum(values * weights, axis=0))
        self.num_samples.assign_add(ops.cast(ops.size(y_true), self.dtype))

    def result(self) -> Any:
        """Returns the share."""
        if not self._sums:
            return ops.zeros(())
        squares, total, residual, count = (ops.convert_to_tensor(v) for v in self._sums)
        variance = squares - total * total / count
        scores = 1 - residual / variance
        scores = ops.where(ops.isinf(scores), ops.zeros_like(scores), scores)
        if self.multioutput == "uniform_average":
            scores = ops.mean(scores)
        elif self.multioutput == "variance_weighted":
            scores = ops.sum(scores * variance) / ops.sum(variance)
        if not self.num_regressors:
            return scores
        samples = ops.convert_to_tensor(self.num_samples)
        freedom = samples - self.num_regressors - 1
        adjusted = 1 - (1 - scores) * (samples - 1) / ops.where(freedom > 0, freedom, 1.0)
        return ops.where(freedom > 0, adjusted, scores)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        return {**super().get_config(), "multioutput": self.multioutput, "num_regressors": self.num_regressors}
