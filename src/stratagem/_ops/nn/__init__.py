"""Functions of `tf.nn` and `tf.quantization` with windows, samples, sequences or ranges. Activations are in `_nn`."""

from stratagem._ops.nn._blocks import depth_to_space as depth_to_space
from stratagem._ops.nn._blocks import space_to_depth as space_to_depth
from stratagem._ops.nn._convolution import atrous_conv2d as atrous_conv2d
from stratagem._ops.nn._convolution import conv1d as conv1d
from stratagem._ops.nn._convolution import conv2d as conv2d
from stratagem._ops.nn._convolution import conv3d as conv3d
from stratagem._ops.nn._convolution import convolution as convolution
from stratagem._ops.nn._convolution import depthwise_conv2d as depthwise_conv2d
from stratagem._ops.nn._convolution import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from stratagem._ops.nn._convolution import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from stratagem._ops.nn._convolution import separable_conv2d as separable_conv2d
from stratagem._ops.nn._ctc import collapse_repeated as collapse_repeated
from stratagem._ops.nn._ctc import ctc_loss as ctc_loss
from stratagem._ops.nn._ctc import ctc_unique_labels as ctc_unique_labels
from stratagem._ops.nn._fake_quantization import FakeQuantGradients as FakeQuantGradients
from stratagem._ops.nn._fake_quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from stratagem._ops.nn._fake_quantization import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from stratagem._ops.nn._fake_quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from stratagem._ops.nn._fake_quantization import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from stratagem._ops.nn._fake_quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from stratagem._ops.nn._fake_quantization import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from stratagem._ops.nn._fractional_pooling import FractionalPool as FractionalPool
from stratagem._ops.nn._fractional_pooling import fractional_avg_pool as fractional_avg_pool
from stratagem._ops.nn._fractional_pooling import fractional_max_pool as fractional_max_pool
from stratagem._ops.nn._isotonic import IsotonicRegression as IsotonicRegression
from stratagem._ops.nn._isotonic import isotonic_regression as isotonic_regression
from stratagem._ops.nn._morphology import dilation2d as dilation2d
from stratagem._ops.nn._morphology import erosion2d as erosion2d
from stratagem._ops.nn._morphology import extract_volume_patches as extract_volume_patches
from stratagem._ops.nn._normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from stratagem._ops.nn._normalization import local_response_normalization as local_response_normalization
from stratagem._ops.nn._normalization import lrn as lrn
from stratagem._ops.nn._normalization import normalize_moments as normalize_moments
from stratagem._ops.nn._normalization import sufficient_statistics as sufficient_statistics
from stratagem._ops.nn._normalization import weighted_moments as weighted_moments
from stratagem._ops.nn._pooling import MaxPoolWithArgmax as MaxPoolWithArgmax
from stratagem._ops.nn._pooling import attach_volume_pools as attach_volume_pools
from stratagem._ops.nn._pooling import avg_pool as avg_pool
from stratagem._ops.nn._pooling import avg_pool1d as avg_pool1d
from stratagem._ops.nn._pooling import avg_pool2d as avg_pool2d
from stratagem._ops.nn._pooling import avg_pool3d as avg_pool3d
from stratagem._ops.nn._pooling import max_pool as max_pool
from stratagem._ops.nn._pooling import max_pool1d as max_pool1d
from stratagem._ops.nn._pooling import max_pool2d as max_pool2d
from stratagem._ops.nn._pooling import max_pool3d as max_pool3d
from stratagem._ops.nn._pooling import max_pool_with_argmax as max_pool_with_argmax
from stratagem._ops.nn._pooling import pool as pool
from stratagem._ops.nn._quantization import quantize_and_dequantize as quantize_and_dequantize
from stratagem._ops.nn._quantization import quantize_and_dequantize_v2 as quantize_and_dequantize_v2
from stratagem._ops.nn._raw_convolution import conv as conv
from stratagem._ops.nn._raw_convolution import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
from stratagem._ops.nn._raw_convolution import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
from stratagem._ops.nn._sampled_losses import AccidentalHits as AccidentalHits
from stratagem._ops.nn._sampled_losses import compute_accidental_hits as compute_accidental_hits
from stratagem._ops.nn._sampled_losses import nce_loss as nce_loss
from stratagem._ops.nn._sampled_losses import sampled_softmax_loss as sampled_softmax_loss
from stratagem._ops.nn._space_to_batch import batch_to_space as batch_to_space
from stratagem._ops.nn._space_to_batch import required_space_to_batch_paddings as required_space_to_batch_paddings
from stratagem._ops.nn._space_to_batch import space_to_batch as space_to_batch
from stratagem._ops.nn._space_to_batch import space_to_batch_nd as space_to_batch_nd
from stratagem._ops.nn._space_to_batch import with_space_to_batch as with_space_to_batch
from stratagem._ops.nn._transposed_convolution import atrous_conv2d_transpose as atrous_conv2d_transpose
from stratagem._ops.nn._transposed_convolution import conv1d_transpose as conv1d_transpose
from stratagem._ops.nn._transposed_convolution import conv2d_transpose as conv2d_transpose
from stratagem._ops.nn._transposed_convolution import conv3d_transpose as conv3d_transpose
from stratagem._ops.nn._transposed_convolution import conv_transpose as conv_transpose
