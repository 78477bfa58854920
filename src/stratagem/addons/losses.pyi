# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._addons import contrastive_loss as contrastive_loss
from stratagem._addons import pinball_loss as pinball_loss
from stratagem._addons import sigmoid_focal_crossentropy as sigmoid_focal_crossentropy
from stratagem._addons import triplet_hard_loss as triplet_hard_loss
from stratagem._addons import triplet_semihard_loss as triplet_semihard_loss
from stratagem.keras import Loss as _keras_Loss

__all__ = [
    "ContrastiveLoss", "PinballLoss", "SigmoidFocalCrossEntropy", "TripletHardLoss", "TripletSemiHardLoss",
    "contrastive_loss", "pinball_loss", "sigmoid_focal_crossentropy", "triplet_hard_loss", "triplet_semihard_loss"
]  # fmt: skip

class ContrastiveLoss(_keras_Loss):
    @staticmethod
    def function(y_true: Any, y_pred: Any, margin: float = 1.0) -> Any: ...
    def __init__(
        self, margin: float = 1.0, reduction: str = "sum_over_batch_size", name: str = "contrastive_loss"
    ) -> None: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    def get_config(self) -> Any: ...

class PinballLoss(_keras_Loss):
    @staticmethod
    def function(y_true: Any, y_pred: Any, tau: float = 0.5) -> Any: ...
    def __init__(
        self, tau: float = 0.5, reduction: str = "sum_over_batch_size", name: str = "pinball_loss"
    ) -> None: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    def get_config(self) -> Any: ...

class SigmoidFocalCrossEntropy(_keras_Loss):
    @staticmethod
    def function(
        y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False
    ) -> Any: ...
    def __init__(
        self,
        from_logits: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        reduction: str = "none",
        name: str = "sigmoid_focal_crossentropy",
    ) -> None: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    def get_config(self) -> Any: ...

class TripletHardLoss(_keras_Loss):
    @staticmethod
    def function(
        y_true: Any, y_pred: Any, margin: float = 1.0, soft: bool = False, distance_metric: Any = "L2"
    ) -> Any: ...
    def __init__(
        self,
        margin: float = 1.0,
        soft: bool = False,
        distance_metric: Any = "L2",
        name: str | None = None,
        **kwargs: Any,
    ) -> None: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    def get_config(self) -> Any: ...

class TripletSemiHardLoss(_keras_Loss):
    @staticmethod
    def function(y_true: Any, y_pred: Any, margin: float = 1.0, distance_metric: Any = "L2") -> Any: ...
    def __init__(
        self, margin: float = 1.0, distance_metric: Any = "L2", name: str | None = None, **kwargs: Any
    ) -> None: ...
    def call(self, y_true: Any, y_pred: Any) -> Any: ...
    def get_config(self) -> Any: ...
