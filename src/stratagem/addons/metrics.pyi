# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._addons import hamming_distance as hamming_distance
from stratagem._addons import hamming_loss_fn as hamming_loss_fn
from stratagem.keras import Metric as _keras_Metric
from stratagem.keras.metrics import MeanMetricWrapper as _metrics_MeanMetricWrapper

__all__ = [
    "CohenKappa", "F1Score", "FBetaScore", "HammingLoss", "MatthewsCorrelationCoefficient", "RSquare",
    "hamming_distance", "hamming_loss_fn"
]  # fmt: skip

class CohenKappa(_keras_Metric):
    conf_mtx: Any
    num_classes: Any
    regression: Any
    sparse_labels: Any
    weightage: Any
    def __init__(
        self,
        num_classes: int,
        name: str = "cohen_kappa",
        weightage: str | None = None,
        sparse_labels: bool = False,
        regression: bool = False,
        dtype: Any = None,
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class FBetaScore(_keras_Metric):
    average: Any
    axis: Any
    beta: Any
    num_classes: Any
    threshold: Any
    def __init__(
        self,
        num_classes: int,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str = "fbeta_score",
        dtype: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class MatthewsCorrelationCoefficient(_keras_Metric):
    conf_mtx: Any
    num_classes: Any
    def __init__(
        self, num_classes: int, name: str = "MatthewsCorrelationCoefficient", dtype: Any = None, **kwargs: Any
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class RSquare(_keras_Metric):
    multioutput: Any
    num_regressors: Any
    num_samples: Any
    def __init__(
        self,
        name: str = "r_square",
        dtype: Any = None,
        multioutput: str = "uniform_average",
        num_regressors: int = 0,
        **kwargs: Any,
    ) -> None: ...
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None: ...
    def result(self) -> Any: ...
    def get_config(self) -> Any: ...

class F1Score(FBetaScore):
    def __init__(
        self,
        num_classes: int,
        average: str | None = None,
        threshold: float | None = None,
        name: str = "f1_score",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...

class HammingLoss(_metrics_MeanMetricWrapper):
    def __init__(
        self, mode: str, name: str = "hamming_loss", threshold: float | None = None, dtype: Any = None, **kwargs: Any
    ) -> None: ...
