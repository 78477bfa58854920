# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

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

__all__ = [
    "fake_quant_with_min_max_args", "fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient", "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient", "quantize_and_dequantize", "quantize_and_dequantize_v2"
]  # fmt: skip
