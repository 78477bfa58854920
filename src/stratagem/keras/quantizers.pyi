# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Quantizer as Quantizer
from stratagem.keras import Quantizer as _keras_Quantizer

__all__ = [
    "AWQConfig", "AbsMaxQuantizer", "Float8QuantizationConfig", "GPTQConfig", "Int4QuantizationConfig",
    "Int8QuantizationConfig", "QuantizationConfig", "Quantizer", "abs_max_quantize",
    "abs_max_quantize_grouped_with_zero_point", "compute_float8_amax_history", "compute_float8_scale", "deserialize",
    "fake_quant_with_min_max_vars", "get", "pack_int4", "quantize_and_dequantize", "serialize", "unpack_int4"
]  # fmt: skip

class QuantizationConfig:
    activation_quantizer: Any
    weight_quantizer: Any
    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = None) -> None: ...
    @property
    def mode(self) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
    @staticmethod
    def weight_quantizer_or_default(config: Any, default: Any) -> Any: ...
    @staticmethod
    def activation_quantizer_or_default(config: Any, default: Any) -> Any: ...

class AWQConfig(QuantizationConfig):
    dataset: Any
    group_size: Any
    num_grid_points: Any
    num_samples: Any
    quantization_layer_structure: Any
    sequence_length: Any
    tokenizer: Any
    weight_bits: Any
    def __init__(
        self,
        dataset: Any,
        tokenizer: Any,
        *,
        weight_bits: int = 4,
        num_samples: int = 128,
        sequence_length: int = 512,
        group_size: int = 128,
        num_grid_points: int = 20,
        quantization_layer_structure: Any = None,
    ) -> None: ...
    @property
    def mode(self) -> Any: ...
    def dtype_policy_string(self) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class AbsMaxQuantizer(_keras_Quantizer):
    axis: Any
    epsilon: Any
    value_range: Any
    def __init__(
        self, axis: Any = None, value_range: Any = ..., epsilon: Any = 1e-07, output_dtype: Any = "int8"
    ) -> None: ...
    def __call__(self, x: Any, axis: Any = None, to_numpy: Any = False) -> Any: ...
    def get_config(self) -> Any: ...

class Float8QuantizationConfig(QuantizationConfig):
    def __init__(self) -> None: ...
    @property
    def mode(self) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class GPTQConfig(QuantizationConfig):
    activation_order: Any
    dataset: Any
    group_size: Any
    hessian_damping: Any
    num_samples: Any
    per_channel: Any
    quantization_layer_structure: Any
    sequence_length: Any
    symmetric: Any
    tokenizer: Any
    weight_bits: Any
    def __init__(
        self,
        dataset: Any,
        tokenizer: Any,
        *,
        weight_bits: int = 4,
        num_samples: int = 128,
        per_channel: bool = True,
        sequence_length: int = 512,
        hessian_damping: float = 0.01,
        group_size: int = 128,
        symmetric: bool = False,
        activation_order: bool = False,
        quantization_layer_structure: Any = None,
    ) -> None: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...
    @property
    def mode(self) -> Any: ...
    def dtype_policy_string(self) -> Any: ...

class Int4QuantizationConfig(QuantizationConfig):
    block_size: Any
    def __init__(
        self, weight_quantizer: Any = None, activation_quantizer: Any = "default", block_size: Any = 128
    ) -> None: ...
    @property
    def mode(self) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Int8QuantizationConfig(QuantizationConfig):
    def __init__(self, weight_quantizer: Any = None, activation_quantizer: Any = "default") -> None: ...
    @property
    def mode(self) -> Any: ...

def abs_max_quantize(
    inputs: Any, axis: Any, value_range: Any = ..., dtype: Any = "int8", epsilon: Any = 1e-07, to_numpy: Any = False
) -> Any: ...
def abs_max_quantize_grouped_with_zero_point(
    inputs: Any,
    block_size: Any,
    value_range: Any = ...,
    dtype: Any = "int8",
    epsilon: Any = 1e-07,
    to_numpy: Any = False,
) -> Any: ...
def compute_float8_amax_history(x: Any, amax_history: Any) -> Any: ...
def compute_float8_scale(amax: Any, scale: Any, dtype_max: Any, margin: Any = 0) -> Any: ...
def deserialize(config: Any, custom_objects: Any = None) -> Any: ...
def fake_quant_with_min_max_vars(
    inputs: Any, min_vals: Any, max_vals: Any, num_bits: Any = 8, narrow_range: Any = False, axis: Any = None
) -> Any: ...
def get(identifier: Any, **kwargs: Any) -> Any: ...
def pack_int4(arr: Any, axis: Any = 0, dtype: Any = "int8") -> Any: ...
def quantize_and_dequantize(inputs: Any, scale: Any, quantized_dtype: Any, compute_dtype: Any) -> Any: ...
def serialize(initializer: Any) -> Any: ...
def unpack_int4(packed: Any, orig_len: Any, axis: Any = 0, dtype: Any = "int8") -> Any: ...
