# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Optimizer as _keras_Optimizer
from stratagem.keras.optimizers import SGD as _optimizers_SGD
from stratagem.keras.optimizers import Adadelta as _optimizers_Adadelta
from stratagem.keras.optimizers import Adagrad as _optimizers_Adagrad
from stratagem.keras.optimizers import Adam as _optimizers_Adam
from stratagem.keras.optimizers import Adamax as _optimizers_Adamax
from stratagem.keras.optimizers import Ftrl as _optimizers_Ftrl
from stratagem.keras.optimizers import Nadam as _optimizers_Nadam
from stratagem.keras.optimizers import RMSprop as _optimizers_RMSprop

__all__ = [
    "Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "SGD"
]  # fmt: skip

class Optimizer(_keras_Optimizer):
    decay: Any
    changes_only_looked_up: bool
    rows: Any
    def __init__(self, name: str, learning_rate: Any = None, **kwargs: Any) -> None: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None: ...
    def kept_in_rows(self) -> Any: ...
    @property
    def learning_rate(self) -> Any: ...
    @learning_rate.setter
    def learning_rate(self, value: Any) -> None: ...
    def minimize(
        self, loss: Any, var_list: Any, grad_loss: Any = None, name: str | None = None, tape: Any = None
    ) -> Any: ...
    def compute_gradients(self, loss: Any, var_list: Any, tape: Any = None) -> Any: ...
    def get_slot_names(self) -> Any: ...
    def get_slot(self, var: Any, slot_name: str) -> Any: ...
    @property
    def weights(self) -> Any: ...
    def beside_slots(self) -> Any: ...
    def get_weights(self) -> Any: ...
    def set_weights(self, weights: Any) -> None: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
    slots: Any
    settings: Any

class Adadelta(Optimizer, _optimizers_Adadelta):
    slots: Any
    changes_only_looked_up: bool
    settings: Any
    rho: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float | None = 1e-07,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None: ...

class Adagrad(Optimizer, _optimizers_Adagrad):
    slots: Any
    settings: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-07,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None: ...

class Adam(Optimizer, _optimizers_Adam):
    slots: Any
    settings: Any
    beta_1: Any
    beta_2: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-07,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None: ...

class Adamax(Optimizer, _optimizers_Adamax):
    slots: Any
    changes_only_looked_up: bool
    settings: Any
    beta_1: Any
    beta_2: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-07,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None: ...

class Ftrl(Optimizer, _optimizers_Ftrl):
    slots: Any
    changes_only_looked_up: bool
    settings: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **kwargs: Any,
    ) -> None: ...

class Nadam(Optimizer, _optimizers_Nadam):
    slots: Any
    settings: Any
    beta_1: Any
    beta_2: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-07,
        name: str = "Nadam",
        **kwargs: Any,
    ) -> None: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None: ...
    def beside_slots(self) -> Any: ...
    def kept_in_rows(self) -> Any: ...

class RMSprop(Optimizer, _optimizers_RMSprop):
    slots: Any
    settings: Any
    rho: Any
    momentum: Any
    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float | None = 1e-07,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None: ...
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None: ...
    def kept_in_rows(self) -> Any: ...

class SGD(Optimizer, _optimizers_SGD):
    slots: Any
    changes_only_looked_up: bool
    settings: Any
    momentum: Any
    def __init__(
        self, learning_rate: Any = 0.01, momentum: Any = 0.0, nesterov: bool = False, name: str = "SGD", **kwargs: Any
    ) -> None: ...
