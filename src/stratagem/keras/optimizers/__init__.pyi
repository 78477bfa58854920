# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Optimizer as Optimizer
from stratagem.keras import Optimizer as _keras_Optimizer
from stratagem.keras.mixed_precision import LossScaleOptimizer as LossScaleOptimizer
from stratagem.keras.optimizers import experimental as experimental
from stratagem.keras.optimizers import legacy as legacy
from stratagem.keras.optimizers import schedules as schedules

__all__ = [
    "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "LossScaleOptimizer",
    "MultiOptimizer", "Muon", "Nadam", "Optimizer", "OptimizerMap", "RMSprop", "SGD", "ScheduleFreeAdamW",
    "deserialize", "experimental", "get", "legacy", "schedules", "serialize"
]  # fmt: skip

class Adadelta(_keras_Optimizer):
    epsilon: Any
    rho: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-07,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, grad: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Adafactor(_keras_Optimizer):
    beta_2_decay: Any
    clip_threshold: Any
    epsilon_1: Any
    epsilon_2: Any
    relative_step: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_2_decay: Any = -0.8,
        epsilon_1: Any = 1e-30,
        epsilon_2: Any = 0.001,
        clip_threshold: Any = 1.0,
        relative_step: Any = True,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Adagrad(_keras_Optimizer):
    epsilon: Any
    initial_accumulator_value: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: Any = 0.1,
        epsilon: Any = 1e-07,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Adam(_keras_Optimizer):
    amsgrad: Any
    beta_1: Any
    beta_2: Any
    epsilon: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: Any = 1e-07,
        amsgrad: Any = False,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Adamax(_keras_Optimizer):
    beta_1: Any
    beta_2: Any
    epsilon: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: Any = 1e-07,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Ftrl(_keras_Optimizer):
    beta: Any
    initial_accumulator_value: Any
    l1_regularization_strength: Any
    l2_regularization_strength: Any
    l2_shrinkage_regularization_strength: Any
    learning_rate_power: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: Any = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        l2_shrinkage_regularization_strength: Any = 0.0,
        beta: Any = 0.0,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Lamb(_keras_Optimizer):
    beta_1: Any
    beta_2: Any
    epsilon: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: Any = 1e-07,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class Lion(_keras_Optimizer):
    beta_1: Any
    beta_2: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.99,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class MultiOptimizer(_keras_Optimizer):
    def __init__(self, optimizer_map: Any, loss_scale_factor: Any = None, name: Any = None) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    @property
    def optimizers(self) -> Any: ...
    @property
    def variables(self) -> Any: ...
    @property
    def learning_rate(self) -> Any: ...
    @learning_rate.setter
    def learning_rate(self, value: Any) -> None: ...
    @property
    def loss_scale_factor(self) -> Any: ...
    @loss_scale_factor.setter
    def loss_scale_factor(self, value: Any) -> None: ...
    @property
    def iterations(self) -> Any: ...
    def apply(self, grads: Any, trainable_variables: Any = None) -> Any: ...
    def finalize_variable_values(self, var_list: Any) -> Any: ...
    def set_weights(self, weights: Any) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...

class Muon(_keras_Optimizer):
    adam_beta_1: Any
    adam_beta_2: Any
    adam_lr_ratio: Any
    adam_velocities: Any
    adam_weight_decay: Any
    epsilon: Any
    exclude_embeddings: Any
    exclude_layers: Any
    momentum: Any
    momentums: Any
    muon_a: Any
    muon_b: Any
    muon_c: Any
    nesterov: Any
    ns_steps: Any
    rms_rate: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        adam_beta_1: Any = 0.9,
        adam_beta_2: Any = 0.999,
        adam_weight_decay: Any = 0.004,
        epsilon: Any = 1e-07,
        weight_decay: Any = 0.004,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        exclude_layers: Any = None,
        exclude_embeddings: Any = True,
        muon_a: Any = 3.4445,
        muon_b: Any = -4.775,
        muon_c: Any = 2.0315,
        adam_lr_ratio: Any = 1,
        momentum: Any = 0.95,
        ns_steps: Any = 5,
        nesterov: Any = True,
        rms_rate: Any = 0.2,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def transpose_last_axis(self, X: Any) -> Any: ...
    def lr_adjust(self, x: Any) -> Any: ...
    def zeropower_via_newtonschulz5(self, x: Any, steps: int) -> Any: ...
    def get_config(self) -> Any: ...

class Nadam(_keras_Optimizer):
    beta_1: Any
    beta_2: Any
    epsilon: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: Any = 1e-07,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class RMSprop(_keras_Optimizer):
    centered: Any
    epsilon: Any
    momentum: Any
    rho: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-07,
        centered: Any = False,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class SGD(_keras_Optimizer):
    momentum: Any
    momentums: Any
    nesterov: Any
    def __init__(
        self,
        learning_rate: Any = 0.01,
        momentum: Any = 0.0,
        nesterov: Any = False,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, variables: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class ScheduleFreeAdamW(_keras_Optimizer):
    beta_1: Any
    beta_2: Any
    epsilon: Any
    warmup_steps: Any
    def __init__(
        self,
        learning_rate: Any = 0.0025,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: Any = 1e-08,
        warmup_steps: Any = 0,
        weight_decay: Any = None,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> Any: ...
    def get_config(self) -> Any: ...

class AdamW(Adam):
    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: Any = 0.004,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: Any = 1e-07,
        amsgrad: Any = False,
        clipnorm: Any = None,
        clipvalue: Any = None,
        global_clipnorm: Any = None,
        use_ema: Any = False,
        ema_momentum: Any = 0.99,
        ema_overwrite_frequency: Any = None,
        loss_scale_factor: Any = None,
        gradient_accumulation_steps: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...

class OptimizerMap:
    def __init__(self, default_optimizer: Any, optimizer_map: Any = None) -> None: ...
    @property
    def default_optimizer(self) -> Any: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __setitem__(self, key: Any, optimizer: Any) -> Any: ...
    def __len__(self) -> Any: ...
    def __iter__(self) -> Any: ...
    def __call__(self, variable: Any) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...

def deserialize(config: Any, custom_objects: Any = None) -> Any: ...
def get(identifier: Any) -> Any: ...
def serialize(optimizer: Any) -> Any: ...
