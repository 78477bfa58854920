# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem import AggregationMethod as AggregationMethod
from stratagem import Assert as Assert
from stratagem import CriticalSection as CriticalSection
from stratagem import DeviceSpec as DeviceSpec
from stratagem import DType as DType
from stratagem import GradientTape as GradientTape
from stratagem import Graph as Graph
from stratagem import IndexedSlices as IndexedSlices
from stratagem import IndexedSlicesSpec as IndexedSlicesSpec
from stratagem import Module as Module
from stratagem import Operation as Operation
from stratagem import OptionalSpec as OptionalSpec
from stratagem import RaggedTensor as RaggedTensor
from stratagem import RaggedTensorSpec as RaggedTensorSpec
from stratagem import SparseTensor as SparseTensor
from stratagem import SparseTensorSpec as SparseTensorSpec
from stratagem import Tensor as Tensor
from stratagem import TensorArray as TensorArray
from stratagem import TensorArraySpec as TensorArraySpec
from stratagem import TensorShape as TensorShape
from stratagem import TensorSpec as TensorSpec
from stratagem import TypeSpec as TypeSpec
from stratagem import UnconnectedGradients as UnconnectedGradients
from stratagem import Variable as Variable
from stratagem import VariableAggregation as VariableAggregation
from stratagem import VariableSynchronization as VariableSynchronization
from stratagem import __version__ as __version__
from stratagem import abs as abs
from stratagem import acos as acos
from stratagem import acosh as acosh
from stratagem import add as add
from stratagem import add_n as add_n
from stratagem import approx_top_k as approx_top_k
from stratagem import argmax as argmax
from stratagem import argmin as argmin
from stratagem import argsort as argsort
from stratagem import as_dtype as as_dtype
from stratagem import as_string as as_string
from stratagem import asin as asin
from stratagem import asinh as asinh
from stratagem import assert_equal as assert_equal
from stratagem import assert_greater as assert_greater
from stratagem import assert_less as assert_less
from stratagem import assert_rank as assert_rank
from stratagem import atan as atan
from stratagem import atan2 as atan2
from stratagem import atanh as atanh
from stratagem import autodiff as autodiff
from stratagem import autograph as autograph
from stratagem import batch_to_space as batch_to_space
from stratagem import bfloat16 as bfloat16
from stratagem import bitcast as bitcast
from stratagem import bitwise as bitwise
from stratagem import bool as bool
from stratagem import boolean_mask as boolean_mask
from stratagem import broadcast_dynamic_shape as broadcast_dynamic_shape
from stratagem import broadcast_static_shape as broadcast_static_shape
from stratagem import broadcast_to as broadcast_to
from stratagem import case as case
from stratagem import cast as cast
from stratagem import clip_by_global_norm as clip_by_global_norm
from stratagem import clip_by_norm as clip_by_norm
from stratagem import clip_by_value as clip_by_value
from stratagem import compat as compat
from stratagem import complex as complex
from stratagem import complex64 as complex64
from stratagem import complex128 as complex128
from stratagem import concat as concat
from stratagem import cond as cond
from stratagem import config as config
from stratagem import constant as constant
from stratagem import constant_initializer as constant_initializer
from stratagem import control_dependencies as control_dependencies
from stratagem import conv as conv
from stratagem import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
from stratagem import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
from stratagem import convert_to_tensor as convert_to_tensor
from stratagem import cos as cos
from stratagem import cosh as cosh
from stratagem import cumsum as cumsum
from stratagem import custom_gradient as custom_gradient
from stratagem import data as data
from stratagem import debugging as debugging
from stratagem import device as device
from stratagem import distribute as distribute
from stratagem import divide as divide
from stratagem import double as double
from stratagem import dtypes as dtypes
from stratagem import dynamic_partition as dynamic_partition
from stratagem import dynamic_stitch as dynamic_stitch
from stratagem import eig as eig
from stratagem import eigvals as eigvals
from stratagem import einsum as einsum
from stratagem import enable_v2_behavior as enable_v2_behavior
from stratagem import ensure_shape as ensure_shape
from stratagem import equal as equal
from stratagem import errors as errors
from stratagem import estimator as estimator
from stratagem import executing_eagerly as executing_eagerly
from stratagem import exp as exp
from stratagem import expand_dims as expand_dims
from stratagem import experimental as experimental
from stratagem import extract_volume_patches as extract_volume_patches
from stratagem import eye as eye
from stratagem import feature_column as feature_column
from stratagem import fill as fill
from stratagem import fingerprint as fingerprint
from stratagem import float16 as float16
from stratagem import float32 as float32
from stratagem import float64 as float64
from stratagem import floor as floor
from stratagem import foldl as foldl
from stratagem import foldr as foldr
from stratagem import function as function
from stratagem import gather as gather
from stratagem import gather_nd as gather_nd
from stratagem import get_current_name_scope as get_current_name_scope
from stratagem import get_logger as get_logger
from stratagem import get_static_value as get_static_value
from stratagem import grad_pass_through as grad_pass_through
from stratagem import gradients as gradients
from stratagem import greater as greater
from stratagem import greater_equal as greater_equal
from stratagem import group as group
from stratagem import guarantee_const as guarantee_const
from stratagem import half as half
from stratagem import hessians as hessians
from stratagem import histogram_fixed_width as histogram_fixed_width
from stratagem import histogram_fixed_width_bins as histogram_fixed_width_bins
from stratagem import identity as identity
from stratagem import identity_n as identity_n
from stratagem import image as image
from stratagem import init_scope as init_scope
from stratagem import inside_function as inside_function
from stratagem import install_as_tensorflow as install_as_tensorflow
from stratagem import int8 as int8
from stratagem import int16 as int16
from stratagem import int32 as int32
from stratagem import int64 as int64
from stratagem import io as io
from stratagem import is_symbolic_tensor as is_symbolic_tensor
from stratagem import is_tensor as is_tensor
from stratagem import keras as keras
from stratagem import launch as launch
from stratagem import less as less
from stratagem import less_equal as less_equal
from stratagem import linalg as linalg
from stratagem import linspace as linspace
from stratagem import logical_and as logical_and
from stratagem import logical_not as logical_not
from stratagem import logical_or as logical_or
from stratagem import lookup as lookup
from stratagem import make_ndarray as make_ndarray
from stratagem import make_tensor_proto as make_tensor_proto
from stratagem import map_fn as map_fn
from stratagem import math as math
from stratagem import matmul as matmul
from stratagem import matrix_square_root as matrix_square_root
from stratagem import maximum as maximum
from stratagem import meshgrid as meshgrid
from stratagem import minimum as minimum
from stratagem import multiply as multiply
from stratagem import name_scope as name_scope
from stratagem import negative as negative
from stratagem import nest as nest
from stratagem import newaxis as newaxis
from stratagem import nn as nn
from stratagem import no_op as no_op
from stratagem import norm as norm
from stratagem import not_equal as not_equal
from stratagem import numpy_function as numpy_function
from stratagem import one_hot as one_hot
from stratagem import ones as ones
from stratagem import ones_initializer as ones_initializer
from stratagem import ones_like as ones_like
from stratagem import pad as pad
from stratagem import parallel_stack as parallel_stack
from stratagem import pow as pow
from stratagem import print as print
from stratagem import profiler as profiler
from stratagem import py_function as py_function
from stratagem import quantization as quantization
from stratagem import ragged as ragged
from stratagem import random as random
from stratagem import random_index_shuffle as random_index_shuffle
from stratagem import random_normal_initializer as random_normal_initializer
from stratagem import random_uniform_initializer as random_uniform_initializer
from stratagem import range as range
from stratagem import rank as rank
from stratagem import realdiv as realdiv
from stratagem import recompute_grad as recompute_grad
from stratagem import reduce_all as reduce_all
from stratagem import reduce_any as reduce_any
from stratagem import reduce_logsumexp as reduce_logsumexp
from stratagem import reduce_max as reduce_max
from stratagem import reduce_mean as reduce_mean
from stratagem import reduce_min as reduce_min
from stratagem import reduce_prod as reduce_prod
from stratagem import reduce_sum as reduce_sum
from stratagem import register_tensor_conversion_function as register_tensor_conversion_function
from stratagem import repeat as repeat
from stratagem import required_space_to_batch_paddings as required_space_to_batch_paddings
from stratagem import reshape as reshape
from stratagem import reverse as reverse
from stratagem import reverse_sequence as reverse_sequence
from stratagem import roll as roll
from stratagem import round as round
from stratagem import saturate_cast as saturate_cast
from stratagem import saved_model as saved_model
from stratagem import scalar_mul as scalar_mul
from stratagem import scan as scan
from stratagem import scatter_nd as scatter_nd
from stratagem import searchsorted as searchsorted
from stratagem import sequence_mask as sequence_mask
from stratagem import shape as shape
from stratagem import shape_n as shape_n
from stratagem import sigmoid as sigmoid
from stratagem import sign as sign
from stratagem import signal as signal
from stratagem import sin as sin
from stratagem import sinh as sinh
from stratagem import size as size
from stratagem import slice as slice
from stratagem import sort as sort
from stratagem import space_to_batch as space_to_batch
from stratagem import space_to_batch_nd as space_to_batch_nd
from stratagem import sparse as sparse
from stratagem import split as split
from stratagem import sqrt as sqrt
from stratagem import square as square
from stratagem import squeeze as squeeze
from stratagem import stack as stack
from stratagem import stop_gradient as stop_gradient
from stratagem import strided_slice as strided_slice
from stratagem import string as string
from stratagem import strings as strings
from stratagem import subtract as subtract
from stratagem import summary as summary
from stratagem import switch_case as switch_case
from stratagem import sysconfig as sysconfig
from stratagem import tan as tan
from stratagem import tanh as tanh
from stratagem import tensor_scatter_nd_add as tensor_scatter_nd_add
from stratagem import tensor_scatter_nd_max as tensor_scatter_nd_max
from stratagem import tensor_scatter_nd_min as tensor_scatter_nd_min
from stratagem import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from stratagem import tensor_scatter_nd_update as tensor_scatter_nd_update
from stratagem import tensordot as tensordot
from stratagem import test as test
from stratagem import tile as tile
from stratagem import timestamp as timestamp
from stratagem import tpu as tpu
from stratagem import train as train
from stratagem import transpose as transpose
from stratagem import truediv as truediv
from stratagem import truncatediv as truncatediv
from stratagem import truncatemod as truncatemod
from stratagem import tuple as tuple
from stratagem import type_spec_from_value as type_spec_from_value
from stratagem import types as types
from stratagem import uint8 as uint8
from stratagem import uint16 as uint16
from stratagem import uint32 as uint32
from stratagem import uint64 as uint64
from stratagem import unique as unique
from stratagem import unique_with_counts as unique_with_counts
from stratagem import unravel_index as unravel_index
from stratagem import unstack as unstack
from stratagem import variable_creator_scope as variable_creator_scope
from stratagem import vectorized_map as vectorized_map
from stratagem import version as version
from stratagem import where as where
from stratagem import while_loop as while_loop
from stratagem import zeros as zeros
from stratagem import zeros_initializer as zeros_initializer
from stratagem import zeros_like as zeros_like
from stratagem.keras import initializers as initializers
from stratagem.keras import losses as losses
from stratagem.keras import metrics as metrics
from stratagem.keras import optimizers as optimizers
from stratagem.keras import regularizers as regularizers

__all__ = [
    "AggregationMethod", "Assert", "CriticalSection", "DType", "DeviceSpec", "GradientTape", "Graph", "IndexedSlices",
    "IndexedSlicesSpec", "Module", "Operation", "OptionalSpec", "RaggedTensor", "RaggedTensorSpec", "SparseTensor",
    "SparseTensorSpec", "Tensor", "TensorArray", "TensorArraySpec", "TensorShape", "TensorSpec", "TypeSpec",
    "UnconnectedGradients", "Variable", "VariableAggregation", "VariableSynchronization", "__version__", "abs", "acos",
    "acosh", "add", "add_n", "approx_top_k", "argmax", "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh",
    "assert_equal", "assert_greater", "assert_less", "assert_rank", "atan", "atan2", "atanh", "autodiff", "autograph",
    "batch_to_space", "bfloat16", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "case", "cast", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
    "compat", "complex", "complex128", "complex64", "concat", "cond", "config", "constant", "constant_initializer",
    "control_dependencies", "conv", "conv2d_backprop_filter_v2", "conv2d_backprop_input_v2", "convert_to_tensor", "cos",
    "cosh", "cumsum", "custom_gradient", "data", "debugging", "device", "distribute", "divide", "double", "dtypes",
    "dynamic_partition", "dynamic_stitch", "eig", "eigvals", "einsum", "enable_v2_behavior", "ensure_shape", "equal",
    "errors", "estimator", "executing_eagerly", "exp", "expand_dims", "experimental", "extract_volume_patches", "eye",
    "feature_column", "fill", "fingerprint", "float16", "float32", "float64", "floor", "foldl", "foldr", "function",
    "gather", "gather_nd", "get_current_name_scope", "get_logger", "get_static_value", "grad_pass_through", "gradients",
    "greater", "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "image", "init_scope", "initializers", "inside_function",
    "install_as_tensorflow", "int16", "int32", "int64", "int8", "io", "is_symbolic_tensor", "is_tensor", "keras",
    "launch", "less", "less_equal", "linalg", "linspace", "logical_and", "logical_not", "logical_or", "lookup",
    "losses", "make_ndarray", "make_tensor_proto", "map_fn", "math", "matmul", "matrix_square_root", "maximum",
    "meshgrid", "metrics", "minimum", "multiply", "name_scope", "negative", "nest", "newaxis", "nn", "no_op", "norm",
    "not_equal", "numpy_function", "one_hot", "ones", "ones_initializer", "ones_like", "optimizers", "pad",
    "parallel_stack", "pow", "print", "profiler", "py_function", "quantization", "ragged", "random",
    "random_index_shuffle", "random_normal_initializer", "random_uniform_initializer", "range", "rank", "realdiv",
    "recompute_grad", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_sum", "register_tensor_conversion_function", "regularizers", "repeat",
    "required_space_to_batch_paddings", "reshape", "reverse", "reverse_sequence", "roll", "round", "saturate_cast",
    "saved_model", "scalar_mul", "scan", "scatter_nd", "searchsorted", "sequence_mask", "shape", "shape_n", "sigmoid",
    "sign", "signal", "sin", "sinh", "size", "slice", "sort", "space_to_batch", "space_to_batch_nd", "sparse", "split",
    "sqrt", "square", "squeeze", "stack", "stop_gradient", "strided_slice", "string", "strings", "subtract", "summary",
    "switch_case", "sysconfig", "tan", "tanh", "tensor_scatter_nd_add", "tensor_scatter_nd_max",
    "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot", "test", "tile",
    "timestamp", "tpu", "train", "transpose", "truediv", "truncatediv", "truncatemod", "tuple", "type_spec_from_value",
    "types", "uint16", "uint32", "uint64", "uint8", "unique", "unique_with_counts", "unravel_index", "unstack",
    "variable_creator_scope", "vectorized_map", "version", "where", "while_loop", "zeros", "zeros_initializer",
    "zeros_like"
]  # fmt: skip
