"""`tf.quantization`: rounding to the numbers of a quantized type, in floating point."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.nn import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from stratagem._ops.nn import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from stratagem._ops.nn import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from stratagem._ops.nn import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from stratagem._ops.nn import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from stratagem._ops.nn import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from stratagem._ops.nn import quantize_and_dequantize as quantize_and_dequantize
from stratagem._ops.nn import quantize_and_dequantize_v2 as quantize_and_dequantize_v2

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("quantization", name)
