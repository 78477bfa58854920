# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._training import SidecarEvaluator as SidecarEvaluator
from stratagem.keras import Layer as _keras_Layer
from stratagem.keras import Model as _keras_Model
from stratagem.keras.optimizers.schedules import CosineDecay as CosineDecay
from stratagem.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts

__all__ = [
    "CosineDecay", "CosineDecayRestarts", "LinearModel", "SequenceFeatures", "SidecarEvaluator"
]  # fmt: skip

class SequenceFeatures(_keras_Layer):
    def call(self, features: Any, training: Any = None) -> Any: ...
    def compute_output_shape(self, input_shape: Any) -> Any: ...
    def compute_output_spec(self, features: Any, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None: ...
    def __call__(self, features: Any, *args: Any, **kwargs: Any) -> Any: ...
    def get_build_config(self) -> Any: ...
    def build_from_config(self, config: Any) -> None: ...
    def of(self, column: Any) -> Any: ...
    def build(self, input_shape: Any = None) -> None: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...

class LinearModel(_keras_Model):
    activation: Any
    bias: Any
    bias_initializer: Any
    bias_regularizer: Any
    dense_layers: Any
    kernel_initializer: Any
    kernel_regularizer: Any
    units: Any
    use_bias: Any
    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "zeros",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None: ...
    def build(self, input_shape: Any) -> None: ...
    def call(self, inputs: Any) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any: ...
