# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem._core.values import name_scope as name_scope
from stratagem._legacy.backend import all as all
from stratagem._legacy.backend import any as any
from stratagem._legacy.backend import arange as arange
from stratagem._legacy.backend import argmax as argmax
from stratagem._legacy.backend import argmin as argmin
from stratagem._legacy.backend import batch_flatten as batch_flatten
from stratagem._legacy.backend import batch_get_value as batch_get_value
from stratagem._legacy.backend import batch_set_value as batch_set_value
from stratagem._legacy.backend import binary_crossentropy as binary_crossentropy
from stratagem._legacy.backend import cast as cast
from stratagem._legacy.backend import cast_to_floatx as cast_to_floatx
from stratagem._legacy.backend import categorical_crossentropy as categorical_crossentropy
from stratagem._legacy.backend import clip as clip
from stratagem._legacy.backend import concatenate as concatenate
from stratagem._legacy.backend import constant as constant
from stratagem._legacy.backend import count_params as count_params
from stratagem._legacy.backend import dot as dot
from stratagem._legacy.backend import dtype as dtype
from stratagem._legacy.backend import eval as eval
from stratagem._legacy.backend import expand_dims as expand_dims
from stratagem._legacy.backend import flatten as flatten
from stratagem._legacy.backend import function as function
from stratagem._legacy.backend import get_value as get_value
from stratagem._legacy.backend import hard_sigmoid as hard_sigmoid
from stratagem._legacy.backend import in_test_phase as in_test_phase
from stratagem._legacy.backend import in_top_k as in_top_k
from stratagem._legacy.backend import in_train_phase as in_train_phase
from stratagem._legacy.backend import int_shape as int_shape
from stratagem._legacy.backend import is_sparse as is_sparse
from stratagem._legacy.backend import l2_normalize as l2_normalize
from stratagem._legacy.backend import learning_phase as learning_phase
from stratagem._legacy.backend import learning_phase_scope as learning_phase_scope
from stratagem._legacy.backend import manual_variable_initialization as manual_variable_initialization
from stratagem._legacy.backend import map_fn as map_fn
from stratagem._legacy.backend import mean as mean
from stratagem._legacy.backend import moving_average_update as moving_average_update
from stratagem._legacy.backend import ndim as ndim
from stratagem._legacy.backend import ones as ones
from stratagem._legacy.backend import permute_dimensions as permute_dimensions
from stratagem._legacy.backend import print_tensor as print_tensor
from stratagem._legacy.backend import relu as relu
from stratagem._legacy.backend import repeat as repeat
from stratagem._legacy.backend import repeat_elements as repeat_elements
from stratagem._legacy.backend import reset_uids as reset_uids
from stratagem._legacy.backend import reverse as reverse
from stratagem._legacy.backend import set_learning_phase as set_learning_phase
from stratagem._legacy.backend import set_value as set_value
from stratagem._legacy.backend import softmax as softmax
from stratagem._legacy.backend import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from stratagem._legacy.backend import sqrt as sqrt
from stratagem._legacy.backend import squeeze as squeeze
from stratagem._legacy.backend import std as std
from stratagem._legacy.backend import switch as switch
from stratagem._legacy.backend import tile as tile
from stratagem._legacy.backend import to_dense as to_dense
from stratagem._legacy.backend import update as update
from stratagem._legacy.backend import update_add as update_add
from stratagem._legacy.backend import update_sub as update_sub
from stratagem._legacy.backend import var as var
from stratagem._legacy.backend import variable as variable
from stratagem._legacy.backend import zeros as zeros
from stratagem._legacy.backend_layers import batch_dot as batch_dot
from stratagem._legacy.backend_layers import batch_normalization as batch_normalization
from stratagem._legacy.backend_layers import bias_add as bias_add
from stratagem._legacy.backend_layers import binary_focal_crossentropy as binary_focal_crossentropy
from stratagem._legacy.backend_layers import categorical_focal_crossentropy as categorical_focal_crossentropy
from stratagem._legacy.backend_layers import conv1d as conv1d
from stratagem._legacy.backend_layers import conv2d as conv2d
from stratagem._legacy.backend_layers import conv2d_transpose as conv2d_transpose
from stratagem._legacy.backend_layers import conv3d as conv3d
from stratagem._legacy.backend_layers import ctc_batch_cost as ctc_batch_cost
from stratagem._legacy.backend_layers import depthwise_conv2d as depthwise_conv2d
from stratagem._legacy.backend_layers import dropout as dropout
from stratagem._legacy.backend_layers import normalize_batch_in_training as normalize_batch_in_training
from stratagem._legacy.backend_layers import pool2d as pool2d
from stratagem._legacy.backend_layers import pool3d as pool3d
from stratagem._legacy.backend_layers import resize_images as resize_images
from stratagem._legacy.backend_layers import resize_volumes as resize_volumes
from stratagem._legacy.backend_layers import separable_conv2d as separable_conv2d
from stratagem._legacy.backend_layers import spatial_2d_padding as spatial_2d_padding
from stratagem._legacy.backend_layers import spatial_3d_padding as spatial_3d_padding
from stratagem._legacy.backend_layers import temporal_padding as temporal_padding
from stratagem._legacy.backend_random import random_bernoulli as random_bernoulli
from stratagem._legacy.backend_random import random_binomial as random_binomial
from stratagem._legacy.backend_random import random_normal as random_normal
from stratagem._legacy.backend_random import random_normal_variable as random_normal_variable
from stratagem._legacy.backend_random import random_uniform as random_uniform
from stratagem._legacy.backend_random import random_uniform_variable as random_uniform_variable
from stratagem._legacy.backend_random import truncated_normal as truncated_normal
from stratagem._ops import abs as abs
from stratagem._ops import cos as cos
from stratagem._ops import cumprod as cumprod
from stratagem._ops import cumsum as cumsum
from stratagem._ops import elu as elu
from stratagem._ops import equal as equal
from stratagem._ops import exp as exp
from stratagem._ops import eye as eye
from stratagem._ops import gather as gather
from stratagem._ops import greater as greater
from stratagem._ops import greater_equal as greater_equal
from stratagem._ops import less as less
from stratagem._ops import less_equal as less_equal
from stratagem._ops import log as log
from stratagem._ops import maximum as maximum
from stratagem._ops import minimum as minimum
from stratagem._ops import not_equal as not_equal
from stratagem._ops import one_hot as one_hot
from stratagem._ops import ones_like as ones_like
from stratagem._ops import pow as pow
from stratagem._ops import reduce_max as max
from stratagem._ops import reduce_min as min
from stratagem._ops import reduce_prod as prod
from stratagem._ops import reduce_sum as sum
from stratagem._ops import reshape as reshape
from stratagem._ops import round as round
from stratagem._ops import shape as shape
from stratagem._ops import sigmoid as sigmoid
from stratagem._ops import sign as sign
from stratagem._ops import sin as sin
from stratagem._ops import softplus as softplus
from stratagem._ops import softsign as softsign
from stratagem._ops import square as square
from stratagem._ops import stack as stack
from stratagem._ops import stop_gradient as stop_gradient
from stratagem._ops import tanh as tanh
from stratagem._ops import transpose as transpose
from stratagem._ops import zeros_like as zeros_like
from stratagem._ops.flow import foldl as foldl
from stratagem._ops.flow import foldr as foldr

__all__ = [
    "abs", "all", "any", "arange", "argmax", "argmin", "backend", "batch_dot", "batch_flatten", "batch_get_value",
    "batch_normalization", "batch_set_value", "bias_add", "binary_crossentropy", "binary_focal_crossentropy", "cast",
    "cast_to_floatx", "categorical_crossentropy", "categorical_focal_crossentropy", "clear_session", "clip",
    "concatenate", "constant", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "cos", "count_params",
    "ctc_batch_cost", "cumprod", "cumsum", "depthwise_conv2d", "dot", "dropout", "dtype", "elu", "epsilon", "equal",
    "eval", "exp", "expand_dims", "eye", "flatten", "floatx", "foldl", "foldr", "function", "gather", "get_uid",
    "get_value", "greater", "greater_equal", "hard_sigmoid", "image_data_format", "in_test_phase", "in_top_k",
    "in_train_phase", "int_shape", "is_float_dtype", "is_int_dtype", "is_keras_tensor", "is_sparse", "l2_normalize",
    "learning_phase", "learning_phase_scope", "less", "less_equal", "log", "manual_variable_initialization", "map_fn",
    "max", "maximum", "mean", "min", "minimum", "moving_average_update", "name_scope", "ndim",
    "normalize_batch_in_training", "not_equal", "one_hot", "ones", "ones_like", "permute_dimensions", "pool2d",
    "pool3d", "pow", "print_tensor", "prod", "random_bernoulli", "random_binomial", "random_normal",
    "random_normal_variable", "random_uniform", "random_uniform_variable", "relu", "repeat", "repeat_elements",
    "reset_uids", "reshape", "resize_images", "resize_volumes", "result_type", "reverse", "round", "separable_conv2d",
    "set_epsilon", "set_floatx", "set_image_data_format", "set_learning_phase", "set_value", "shape", "sigmoid", "sign",
    "sin", "softmax", "softplus", "softsign", "sparse_categorical_crossentropy", "spatial_2d_padding",
    "spatial_3d_padding", "sqrt", "square", "squeeze", "stack", "standardize_dtype", "std", "stop_gradient", "sum",
    "switch", "tanh", "temporal_padding", "tile", "to_dense", "transpose", "truncated_normal", "update", "update_add",
    "update_sub", "var", "variable", "zeros", "zeros_like"
]  # fmt: skip

def backend() -> Any: ...
def clear_session(free_memory: Any = True) -> Any: ...
def epsilon() -> Any: ...
def floatx() -> Any: ...
def get_uid(prefix: Any = "") -> Any: ...
def image_data_format() -> Any: ...
def is_float_dtype(dtype: Any) -> Any: ...
def is_int_dtype(dtype: Any) -> Any: ...
def is_keras_tensor(x: Any) -> Any: ...
def result_type(*dtypes: Any) -> Any: ...
def set_epsilon(value: Any) -> Any: ...
def set_floatx(value: Any) -> Any: ...
def set_image_data_format(data_format: Any) -> Any: ...
def standardize_dtype(dtype: Any) -> Any: ...
