# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._addons import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from stratagem._addons import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
from stratagem.keras.optimizers.legacy import SGD as _legacy_SGD
from stratagem.keras.optimizers.legacy import Adam as _legacy_Adam
from stratagem.keras.optimizers.schedules import LearningRateSchedule as _schedules_LearningRateSchedule

__all__ = [
    "AdamW", "CyclicalLearningRate", "DecoupledWeightDecayExtension", "ExponentialCyclicalLearningRate", "LAMB",
    "LazyAdam", "RectifiedAdam", "SGDW", "Triangular2CyclicalLearningRate", "TriangularCyclicalLearningRate",
    "extend_with_decoupled_weight_decay"
]  # fmt: skip

class CyclicalLearningRate(_schedules_LearningRateSchedule):
    initial_learning_rate: Any
    maximal_learning_rate: Any
    name: Any
    scale_fn: Any
    scale_mode: Any
    step_size: Any
    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_fn: Any,
        scale_mode: str = "cycle",
        name: str = "CyclicalLearningRate",
    ) -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

class ExponentialCyclicalLearningRate(CyclicalLearningRate):
    gamma: Any
    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_mode: str = "iterations",
        gamma: float = 1.0,
        name: str = "ExponentialCyclicalLearningRate",
    ) -> None: ...
    def get_config(self) -> Any: ...

class Triangular2CyclicalLearningRate(CyclicalLearningRate):
    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_mode: str = "cycle",
        name: str = "Triangular2CyclicalLearningRate",
    ) -> None: ...
    def get_config(self) -> Any: ...

class TriangularCyclicalLearningRate(CyclicalLearningRate):
    def __init__(
        self,
        initial_learning_rate: float,
        maximal_learning_rate: float,
        step_size: float,
        scale_mode: str = "cycle",
        name: str = "TriangularCyclicalLearningRate",
    ) -> None: ...
    def get_config(self) -> Any: ...

class LazyAdam(_legacy_Adam):
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        name: str = "LazyAdam",
        **kwargs: Any,
    ) -> None: ...

class LAMB(_legacy_Adam):
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-06,
        weight_decay: float = 0.0,
        exclude_from_weight_decay: Any = None,
        exclude_from_layer_adaptation: Any = None,
        name: str = "LAMB",
        **kwargs: Any,
    ) -> None: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None: ...
    def get_config(self) -> Any: ...
    @property
    def weight_decay(self) -> Any: ...
    @weight_decay.setter
    def weight_decay(self, value: Any) -> None: ...

class RectifiedAdam(_legacy_Adam):
    sma_threshold: Any
    warmup_proportion: Any
    min_lr: Any
    total_steps: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-07,
        weight_decay: Any = 0.0,
        amsgrad: bool = False,
        sma_threshold: float = 5.0,
        total_steps: int = 0,
        warmup_proportion: float = 0.1,
        min_lr: float = 0.0,
        name: str = "RectifiedAdam",
        **kwargs: Any,
    ) -> None: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
    @property
    def weight_decay(self) -> Any: ...
    @weight_decay.setter
    def weight_decay(self, value: Any) -> None: ...

class AdamW(_legacy_Adam):
    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        name: str = "AdamW",
        **kwargs: Any,
    ) -> None: ...
    def apply_gradients(
        self, grads_and_vars: Any, name: str | None = None, decay_var_list: Any = None, **kwargs: Any
    ) -> Any: ...
    def minimize(
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
        tape: Any = None,
    ) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
    @property
    def weight_decay(self) -> Any: ...
    @weight_decay.setter
    def weight_decay(self, value: Any) -> None: ...

class SGDW(_legacy_SGD):
    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        momentum: Any = 0.0,
        nesterov: bool = False,
        name: str = "SGDW",
        **kwargs: Any,
    ) -> None: ...
    def apply_gradients(
        self, grads_and_vars: Any, name: str | None = None, decay_var_list: Any = None, **kwargs: Any
    ) -> Any: ...
    def minimize(
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        decay_var_list: Any = None,
        tape: Any = None,
    ) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
    @property
    def weight_decay(self) -> Any: ...
    @weight_decay.setter
    def weight_decay(self, value: Any) -> None: ...
