# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import DTypePolicy as DTypePolicy
from stratagem.keras import DTypePolicy as Policy
from stratagem.keras import Optimizer as _keras_Optimizer
from stratagem.keras.config import dtype_policy as dtype_policy
from stratagem.keras.config import dtype_policy as global_policy
from stratagem.keras.config import set_dtype_policy as set_dtype_policy
from stratagem.keras.config import set_dtype_policy as set_global_policy

__all__ = [
    "DTypePolicy", "LossScaleOptimizer", "Policy", "dtype_policy", "global_policy", "set_dtype_policy",
    "set_global_policy"
]  # fmt: skip

class LossScaleOptimizer(_keras_Optimizer):
    dynamic_growth_steps: Any
    dynamic_scale: Any
    initial_scale: Any
    inner_optimizer: Any
    step_counter: Any
    def __init__(
        self,
        inner_optimizer: Any,
        initial_scale: Any = 32768.0,
        dynamic_growth_steps: Any = 2000,
        name: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, var_list: Any) -> Any: ...
    @property
    def variables(self) -> Any: ...
    def stateless_apply(self, optimizer_variables: Any, grads: Any, trainable_variables: Any) -> Any: ...
    def apply(self, grads: Any, trainable_variables: Any = None) -> Any: ...
    def check_finite(self, grads: Any) -> Any: ...
    @property
    def learning_rate(self) -> Any: ...
    @learning_rate.setter
    def learning_rate(self, value: Any) -> None: ...
    @property
    def iterations(self) -> Any: ...
    def scale_loss(self, loss: Any) -> Any: ...
    def finalize_variable_values(self, var_list: Any) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
    def get_scaled_loss(self, loss: Any) -> Any: ...
    def get_unscaled_gradients(self, grads: Any) -> Any: ...
    @property
    def loss_scale(self) -> Any: ...
    @property
    def dynamic(self) -> Any: ...
    @property
    def dynamic_counter(self) -> Any: ...
    def apply_gradients(
        self,
        grads_and_vars: Any,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
    ) -> Any: ...
