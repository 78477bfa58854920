# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._legacy import LossReduction as Reduction
from stratagem.keras import Loss as Loss
from stratagem.keras import Loss as _keras_Loss
from stratagem.keras.losses import kl_divergence as KLD
from stratagem.keras.losses import kl_divergence as kld
from stratagem.keras.losses import kl_divergence as kullback_leibler_divergence
from stratagem.keras.losses import log_cosh as logcosh
from stratagem.keras.losses import mean_absolute_error as MAE
from stratagem.keras.losses import mean_absolute_error as mae
from stratagem.keras.losses import mean_absolute_percentage_error as MAPE
from stratagem.keras.losses import mean_absolute_percentage_error as mape
from stratagem.keras.losses import mean_squared_error as MSE
from stratagem.keras.losses import mean_squared_error as mse
from stratagem.keras.losses import mean_squared_logarithmic_error as MSLE
from stratagem.keras.losses import mean_squared_logarithmic_error as msle

__all__ = [
    "BinaryCrossentropy", "BinaryFocalCrossentropy", "CTC", "CategoricalCrossentropy", "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy", "CategoricalHinge", "Circle", "CosineSimilarity", "Dice", "Hinge", "Huber",
    "KLD", "KLDivergence", "LogCosh", "Loss", "MAE", "MAPE", "MSE", "MSLE", "MeanAbsoluteError",
    "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError", "Poisson", "Reduction",
    "SparseCategoricalCrossentropy", "SquaredHinge", "Tversky", "binary_crossentropy", "binary_focal_crossentropy",
    "categorical_crossentropy", "categorical_focal_crossentropy", "categorical_generalized_cross_entropy",
    "categorical_hinge", "circle", "cosine_similarity", "ctc", "deserialize", "dice", "get", "hinge", "huber",
    "kl_divergence", "kld", "kullback_leibler_divergence", "log_cosh", "logcosh", "mae", "mape", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error", "mse", "msle", "poisson",
    "serialize", "sparse_categorical_crossentropy", "squared_hinge", "tversky"
]  # fmt: skip

class BinaryCrossentropy(_keras_Loss):
    axis: Any
    fn: Any
    from_logits: Any
    label_smoothing: Any
    def __init__(
        self,
        from_logits: Any = False,
        label_smoothing: Any = 0.0,
        axis: Any = -1,
        reduction: Any = "sum_over_batch_size",
        name: Any = "binary_crossentropy",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class BinaryFocalCrossentropy(_keras_Loss):
    alpha: Any
    apply_class_balancing: Any
    axis: Any
    fn: Any
    from_logits: Any
    gamma: Any
    label_smoothing: Any
    def __init__(
        self,
        apply_class_balancing: Any = False,
        alpha: Any = 0.25,
        gamma: Any = 2.0,
        from_logits: Any = False,
        label_smoothing: Any = 0.0,
        axis: Any = -1,
        reduction: Any = "sum_over_batch_size",
        name: Any = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CTC(_keras_Loss):
    fn: Any
    def __init__(self, reduction: Any = "sum_over_batch_size", name: Any = "ctc", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CategoricalCrossentropy(_keras_Loss):
    axis: Any
    fn: Any
    from_logits: Any
    label_smoothing: Any
    def __init__(
        self,
        from_logits: Any = False,
        label_smoothing: Any = 0.0,
        axis: Any = -1,
        reduction: Any = "sum_over_batch_size",
        name: Any = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CategoricalFocalCrossentropy(_keras_Loss):
    alpha: Any
    axis: Any
    fn: Any
    from_logits: Any
    gamma: Any
    label_smoothing: Any
    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: Any = 2.0,
        from_logits: Any = False,
        label_smoothing: Any = 0.0,
        axis: Any = -1,
        reduction: Any = "sum_over_batch_size",
        name: Any = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CategoricalGeneralizedCrossEntropy(_keras_Loss):
    fn: Any
    q: Any
    def __init__(
        self,
        q: Any = 0.5,
        reduction: Any = "sum_over_batch_size",
        name: Any = "categorical_generalized_cross_entropy",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CategoricalHinge(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "categorical_hinge", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Circle(_keras_Loss):
    fn: Any
    gamma: Any
    margin: Any
    remove_diagonal: Any
    def __init__(
        self,
        gamma: Any = 80.0,
        margin: Any = 0.4,
        remove_diagonal: Any = True,
        reduction: Any = "sum_over_batch_size",
        name: Any = "circle",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CosineSimilarity(_keras_Loss):
    fn: Any
    def __init__(
        self, axis: Any = -1, reduction: Any = "sum_over_batch_size", name: Any = "cosine_similarity", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Dice(_keras_Loss):
    axis: Any
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "dice", axis: Any = None, dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Hinge(_keras_Loss):
    fn: Any
    def __init__(self, reduction: Any = "sum_over_batch_size", name: Any = "hinge", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Huber(_keras_Loss):
    fn: Any
    def __init__(
        self, delta: Any = 1.0, reduction: Any = "sum_over_batch_size", name: Any = "huber_loss", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class KLDivergence(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "kl_divergence", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class LogCosh(_keras_Loss):
    fn: Any
    def __init__(self, reduction: Any = "sum_over_batch_size", name: Any = "log_cosh", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class MeanAbsoluteError(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "mean_absolute_error", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class MeanAbsolutePercentageError(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "mean_absolute_percentage_error", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class MeanSquaredError(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "mean_squared_error", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class MeanSquaredLogarithmicError(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "mean_squared_logarithmic_error", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Poisson(_keras_Loss):
    fn: Any
    def __init__(self, reduction: Any = "sum_over_batch_size", name: Any = "poisson", dtype: Any = None) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class SparseCategoricalCrossentropy(_keras_Loss):
    fn: Any
    from_logits: Any
    ignore_class: Any
    def __init__(
        self,
        from_logits: Any = False,
        ignore_class: Any = None,
        reduction: Any = "sum_over_batch_size",
        axis: Any = -1,
        name: Any = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class SquaredHinge(_keras_Loss):
    fn: Any
    def __init__(
        self, reduction: Any = "sum_over_batch_size", name: Any = "squared_hinge", dtype: Any = None
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Tversky(_keras_Loss):
    alpha: Any
    axis: Any
    beta: Any
    fn: Any
    def __init__(
        self,
        alpha: Any = 0.5,
        beta: Any = 0.5,
        reduction: Any = "sum_over_batch_size",
        name: Any = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: Any = False, label_smoothing: Any = 0.0, axis: Any = -1
) -> Any: ...
def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: Any = False,
    alpha: Any = 0.25,
    gamma: Any = 2.0,
    from_logits: Any = False,
    label_smoothing: Any = 0.0,
    axis: Any = -1,
) -> Any: ...
def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: Any = False, label_smoothing: Any = 0.0, axis: Any = -1
) -> Any: ...
def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: Any = 2.0,
    from_logits: Any = False,
    label_smoothing: Any = 0.0,
    axis: Any = -1,
) -> Any: ...
def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: Any) -> Any: ...
def categorical_hinge(y_true: Any, y_pred: Any) -> Any: ...
def circle(
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: Any = True,
    gamma: Any = 80,
    margin: Any = 0.4,
) -> Any: ...
def cosine_similarity(y_true: Any, y_pred: Any, axis: Any = -1) -> Any: ...
def ctc(y_true: Any, y_pred: Any) -> Any: ...
def deserialize(name: Any, custom_objects: Any = None) -> Any: ...
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any: ...
def get(identifier: Any) -> Any: ...
def hinge(y_true: Any, y_pred: Any) -> Any: ...
def huber(y_true: Any, y_pred: Any, delta: Any = 1.0) -> Any: ...
def kl_divergence(y_true: Any, y_pred: Any) -> Any: ...
def log_cosh(y_true: Any, y_pred: Any) -> Any: ...
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any: ...
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any: ...
def mean_squared_error(y_true: Any, y_pred: Any) -> Any: ...
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any: ...
def poisson(y_true: Any, y_pred: Any) -> Any: ...
def serialize(loss: Any) -> Any: ...
def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: Any = False, ignore_class: Any = None, axis: Any = -1
) -> Any: ...
def squared_hinge(y_true: Any, y_pred: Any) -> Any: ...
def tversky(y_true: Any, y_pred: Any, alpha: Any = 0.5, beta: Any = 0.5, axis: Any = None) -> Any: ...
