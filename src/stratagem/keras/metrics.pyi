# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Metric as Metric
from stratagem.keras import Metric as _keras_Metric
from stratagem.keras.losses import binary_crossentropy as binary_crossentropy
from stratagem.keras.losses import binary_focal_crossentropy as binary_focal_crossentropy
from stratagem.keras.losses import categorical_crossentropy as categorical_crossentropy
from stratagem.keras.losses import categorical_focal_crossentropy as categorical_focal_crossentropy
from stratagem.keras.losses import categorical_hinge as categorical_hinge
from stratagem.keras.losses import hinge as hinge
from stratagem.keras.losses import huber as huber
from stratagem.keras.losses import kl_divergence as KLD
from stratagem.keras.losses import kl_divergence as kl_divergence
from stratagem.keras.losses import kl_divergence as kld
from stratagem.keras.losses import kl_divergence as kullback_leibler_divergence
from stratagem.keras.losses import log_cosh as log_cosh
from stratagem.keras.losses import log_cosh as logcosh
from stratagem.keras.losses import mean_absolute_error as MAE
from stratagem.keras.losses import mean_absolute_error as mae
from stratagem.keras.losses import mean_absolute_error as mean_absolute_error
from stratagem.keras.losses import mean_absolute_percentage_error as MAPE
from stratagem.keras.losses import mean_absolute_percentage_error as mape
from stratagem.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from stratagem.keras.losses import mean_squared_error as MSE
from stratagem.keras.losses import mean_squared_error as mean_squared_error
from stratagem.keras.losses import mean_squared_error as mse
from stratagem.keras.losses import mean_squared_logarithmic_error as MSLE
from stratagem.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from stratagem.keras.losses import mean_squared_logarithmic_error as msle
from stratagem.keras.losses import poisson as poisson
from stratagem.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from stratagem.keras.losses import squared_hinge as squared_hinge

__all__ = [
    "AUC", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "BinaryIoU", "CategoricalAccuracy",
    "CategoricalCrossentropy", "CategoricalHinge", "ConcordanceCorrelation", "CosineSimilarity", "F1Score",
    "FBetaScore", "FalseNegatives", "FalsePositives", "Hinge", "IoU", "KLD", "KLDivergence", "LogCoshError", "MAE",
    "MAPE", "MSE", "MSLE", "Mean", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanIoU", "MeanMetricWrapper",
    "MeanSquaredError", "MeanSquaredLogarithmicError", "Metric", "OneHotIoU", "OneHotMeanIoU", "PearsonCorrelation",
    "Poisson", "Precision", "PrecisionAtRecall", "R2Score", "Recall", "RecallAtPrecision", "RootMeanSquaredError",
    "SensitivityAtSpecificity", "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy", "SpecificityAtSensitivity", "SquaredHinge", "Sum", "TopKCategoricalAccuracy",
    "TrueNegatives", "TruePositives", "binary_accuracy", "binary_crossentropy", "binary_focal_crossentropy",
    "categorical_accuracy", "categorical_crossentropy", "categorical_focal_crossentropy", "categorical_hinge",
    "concordance_correlation", "deserialize", "get", "hinge", "huber", "kl_divergence", "kld",
    "kullback_leibler_divergence", "log_cosh", "logcosh", "mae", "mape", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error", "mse", "msle",
    "pearson_correlation", "poisson", "serialize", "sparse_categorical_accuracy", "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy", "squared_hinge", "top_k_categorical_accuracy"
]  # fmt: skip

class AUC(_keras_Metric):
    curve: Any
    false_negatives: Any
    false_positives: Any
    label_weights: Any
    multi_label: Any
    num_labels: Any
    num_thresholds: Any
    summation_method: Any
    true_negatives: Any
    true_positives: Any
    def __init__(
        self,
        num_thresholds: Any = 200,
        curve: Any = "ROC",
        summation_method: Any = "interpolation",
        name: Any = None,
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: Any = False,
        num_labels: Any = None,
        label_weights: Any = None,
        from_logits: Any = False,
    ) -> None: ...
    @property
    def thresholds(self) -> Any: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def interpolate_pr_auc(self) -> Any: ...
    def result(self) -> Any: ...
    def reset_state(self) -> Any: ...
    def get_config(self) -> Any: ...

class FBetaScore(_keras_Metric):
    average: Any
    axis: Any
    beta: Any
    false_negatives: Any
    false_positives: Any
    intermediate_weights: Any
    threshold: Any
    true_positives: Any
    def __init__(
        self, average: Any = None, beta: Any = 1.0, threshold: Any = None, name: Any = "fbeta_score", dtype: Any = None
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...
    def reset_state(self) -> Any: ...

class Mean(_keras_Metric):
    count: Any
    total: Any
    def __init__(self, name: Any = "mean", dtype: Any = None) -> None: ...
    def update_state(self, values: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...
    def result(self) -> Any: ...

class Precision(_keras_Metric):
    class_id: Any
    false_positives: Any
    init_thresholds: Any
    thresholds: Any
    top_k: Any
    true_positives: Any
    def __init__(
        self, thresholds: Any = None, top_k: Any = None, class_id: Any = None, name: Any = None, dtype: Any = None
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def reset_state(self) -> Any: ...
    def get_config(self) -> Any: ...

class R2Score(_keras_Metric):
    class_aggregation: Any
    count: Any
    num_regressors: Any
    num_samples: Any
    squared_sum: Any
    sum: Any
    total_mse: Any
    def __init__(
        self,
        class_aggregation: Any = "uniform_average",
        num_regressors: Any = 0,
        name: Any = "r2_score",
        dtype: Any = None,
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def reset_state(self) -> Any: ...
    def get_config(self) -> Any: ...

class Recall(_keras_Metric):
    class_id: Any
    false_negatives: Any
    init_thresholds: Any
    thresholds: Any
    top_k: Any
    true_positives: Any
    def __init__(
        self, thresholds: Any = None, top_k: Any = None, class_id: Any = None, name: Any = None, dtype: Any = None
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def reset_state(self) -> Any: ...
    def get_config(self) -> Any: ...

class Sum(_keras_Metric):
    total: Any
    def __init__(self, name: Any = "sum", dtype: Any = None) -> None: ...
    def update_state(self, values: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...
    def result(self) -> Any: ...

class F1Score(FBetaScore):
    def __init__(
        self, average: Any = None, threshold: Any = None, name: Any = "f1_score", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...

class FalseNegatives(_keras_Metric):
    accumulator: Any
    init_thresholds: Any
    thresholds: Any
    def __init__(self, thresholds: Any = None, name: Any = None, dtype: Any = None) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class FalsePositives(_keras_Metric):
    accumulator: Any
    init_thresholds: Any
    thresholds: Any
    def __init__(self, thresholds: Any = None, name: Any = None, dtype: Any = None) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class IoU(_keras_Metric):
    axis: Any
    ignore_class: Any
    num_classes: Any
    sparse_y_pred: Any
    sparse_y_true: Any
    target_class_ids: Any
    total_cm: Any
    def __init__(
        self,
        num_classes: Any,
        target_class_ids: Any,
        name: Any = None,
        dtype: Any = None,
        ignore_class: Any = None,
        sparse_y_true: Any = True,
        sparse_y_pred: Any = True,
        axis: Any = -1,
    ) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...

class MeanMetricWrapper(Mean):
    def __init__(self, fn: Any, name: Any = None, dtype: Any = None, **kwargs: Any) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class PrecisionAtRecall(_keras_Metric):
    class_id: Any
    false_negatives: Any
    false_positives: Any
    num_thresholds: Any
    recall: Any
    thresholds: Any
    true_negatives: Any
    true_positives: Any
    value: Any
    def __init__(
        self, recall: Any, num_thresholds: Any = 200, class_id: Any = None, name: Any = None, dtype: Any = None
    ) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...

class RecallAtPrecision(_keras_Metric):
    class_id: Any
    false_negatives: Any
    false_positives: Any
    num_thresholds: Any
    precision: Any
    thresholds: Any
    true_negatives: Any
    true_positives: Any
    value: Any
    def __init__(
        self, precision: Any, num_thresholds: Any = 200, class_id: Any = None, name: Any = None, dtype: Any = None
    ) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...

class RootMeanSquaredError(Mean):
    def __init__(self, name: Any = "root_mean_squared_error", dtype: Any = None) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...

class SensitivityAtSpecificity(_keras_Metric):
    class_id: Any
    false_negatives: Any
    false_positives: Any
    num_thresholds: Any
    specificity: Any
    thresholds: Any
    true_negatives: Any
    true_positives: Any
    value: Any
    def __init__(
        self, specificity: Any, num_thresholds: Any = 200, class_id: Any = None, name: Any = None, dtype: Any = None
    ) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...

class SpecificityAtSensitivity(_keras_Metric):
    class_id: Any
    false_negatives: Any
    false_positives: Any
    num_thresholds: Any
    sensitivity: Any
    thresholds: Any
    true_negatives: Any
    true_positives: Any
    value: Any
    def __init__(
        self, sensitivity: Any, num_thresholds: Any = 200, class_id: Any = None, name: Any = None, dtype: Any = None
    ) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def reset_state(self) -> Any: ...

class TrueNegatives(_keras_Metric):
    accumulator: Any
    init_thresholds: Any
    thresholds: Any
    def __init__(self, thresholds: Any = None, name: Any = None, dtype: Any = None) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class TruePositives(_keras_Metric):
    accumulator: Any
    init_thresholds: Any
    thresholds: Any
    def __init__(self, thresholds: Any = None, name: Any = None, dtype: Any = None) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class Accuracy(MeanMetricWrapper):
    def __init__(self, name: Any = "accuracy", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class BinaryAccuracy(MeanMetricWrapper):
    threshold: Any
    def __init__(self, name: Any = "binary_accuracy", dtype: Any = None, threshold: Any = 0.5) -> None: ...
    def get_config(self) -> Any: ...

class BinaryCrossentropy(MeanMetricWrapper):
    from_logits: Any
    label_smoothing: Any
    def __init__(
        self, name: Any = "binary_crossentropy", dtype: Any = None, from_logits: Any = False, label_smoothing: Any = 0
    ) -> None: ...
    def get_config(self) -> Any: ...

class BinaryIoU(IoU):
    threshold: Any
    def __init__(
        self, target_class_ids: Any = ..., threshold: Any = 0.5, name: Any = None, dtype: Any = None
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class CategoricalAccuracy(MeanMetricWrapper):
    def __init__(self, name: Any = "categorical_accuracy", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class CategoricalCrossentropy(MeanMetricWrapper):
    axis: Any
    from_logits: Any
    label_smoothing: Any
    def __init__(
        self,
        name: Any = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: Any = False,
        label_smoothing: Any = 0,
        axis: Any = -1,
    ) -> None: ...
    def get_config(self) -> Any: ...

class CategoricalHinge(MeanMetricWrapper):
    def __init__(self, name: Any = "categorical_hinge", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class ConcordanceCorrelation(MeanMetricWrapper):
    axis: Any
    def __init__(self, name: Any = "concordance_correlation", dtype: Any = None, axis: Any = -1) -> None: ...
    def get_config(self) -> Any: ...

class CosineSimilarity(MeanMetricWrapper):
    def __init__(self, name: Any = "cosine_similarity", dtype: Any = None, axis: Any = -1) -> None: ...
    def get_config(self) -> Any: ...

class Hinge(MeanMetricWrapper):
    def __init__(self, name: Any = "hinge", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class KLDivergence(MeanMetricWrapper):
    def __init__(self, name: Any = "kl_divergence", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class LogCoshError(MeanMetricWrapper):
    def __init__(self, name: Any = "logcosh", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class MeanAbsoluteError(MeanMetricWrapper):
    def __init__(self, name: Any = "mean_absolute_error", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class MeanAbsolutePercentageError(MeanMetricWrapper):
    def __init__(self, name: Any = "mean_absolute_percentage_error", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class MeanIoU(IoU):
    def __init__(
        self,
        num_classes: Any,
        name: Any = None,
        dtype: Any = None,
        ignore_class: Any = None,
        sparse_y_true: Any = True,
        sparse_y_pred: Any = True,
        axis: Any = -1,
    ) -> None: ...
    def get_config(self) -> Any: ...

class MeanSquaredError(MeanMetricWrapper):
    def __init__(self, name: Any = "mean_squared_error", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class MeanSquaredLogarithmicError(MeanMetricWrapper):
    def __init__(self, name: Any = "mean_squared_logarithmic_error", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class OneHotIoU(IoU):
    def __init__(
        self,
        num_classes: Any,
        target_class_ids: Any,
        name: Any = None,
        dtype: Any = None,
        ignore_class: Any = None,
        sparse_y_pred: Any = False,
        axis: Any = -1,
    ) -> None: ...
    def get_config(self) -> Any: ...

class PearsonCorrelation(MeanMetricWrapper):
    axis: Any
    def __init__(self, name: Any = "pearson_correlation", dtype: Any = None, axis: Any = -1) -> None: ...
    def get_config(self) -> Any: ...

class Poisson(MeanMetricWrapper):
    def __init__(self, name: Any = "poisson", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class SparseCategoricalAccuracy(MeanMetricWrapper):
    def __init__(self, name: Any = "sparse_categorical_accuracy", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class SparseCategoricalCrossentropy(MeanMetricWrapper):
    axis: Any
    from_logits: Any
    ignore_class: Any
    def __init__(
        self,
        name: Any = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: Any = False,
        ignore_class: Any = None,
        axis: Any = -1,
    ) -> None: ...
    def get_config(self) -> Any: ...

class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    from_sorted_ids: Any
    k: Any
    def __init__(
        self,
        k: Any = 5,
        name: Any = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
        from_sorted_ids: Any = False,
    ) -> None: ...
    def get_config(self) -> Any: ...

class SquaredHinge(MeanMetricWrapper):
    def __init__(self, name: Any = "squared_hinge", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class TopKCategoricalAccuracy(MeanMetricWrapper):
    k: Any
    def __init__(self, k: Any = 5, name: Any = "top_k_categorical_accuracy", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class OneHotMeanIoU(MeanIoU):
    def __init__(
        self,
        num_classes: Any,
        name: Any = None,
        dtype: Any = None,
        ignore_class: Any = None,
        sparse_y_pred: Any = False,
        axis: Any = -1,
    ) -> None: ...
    def get_config(self) -> Any: ...

def binary_accuracy(y_true: Any, y_pred: Any, threshold: Any = 0.5) -> Any: ...
def categorical_accuracy(y_true: Any, y_pred: Any) -> Any: ...
def concordance_correlation(y_true: Any, y_pred: Any, axis: Any = -1) -> Any: ...
def deserialize(config: Any, custom_objects: Any = None) -> Any: ...
def get(identifier: Any) -> Any: ...
def pearson_correlation(y_true: Any, y_pred: Any, axis: Any = -1) -> Any: ...
def serialize(metric: Any) -> Any: ...
def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any: ...
def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: Any = 5, from_sorted_ids: Any = False) -> Any: ...
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: Any = 5) -> Any: ...
