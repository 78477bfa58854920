# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem import autodiff as autodiff
from stratagem import autograph as autograph
from stratagem import bitwise as bitwise
from stratagem import compat as compat
from stratagem import config as config
from stratagem import data as data
from stratagem import debugging as debugging
from stratagem import distribute as distribute
from stratagem import dtypes as dtypes
from stratagem import errors as errors
from stratagem import estimator as estimator
from stratagem import experimental as experimental
from stratagem import feature_column as feature_column
from stratagem import image as image
from stratagem import io as io
from stratagem import keras as keras
from stratagem import linalg as linalg
from stratagem import lookup as lookup
from stratagem import math as math
from stratagem import nest as nest
from stratagem import nn as nn
from stratagem import profiler as profiler
from stratagem import quantization as quantization
from stratagem import ragged as ragged
from stratagem import random as random
from stratagem import saved_model as saved_model
from stratagem import signal as signal
from stratagem import sparse as sparse
from stratagem import strings as strings
from stratagem import summary as summary
from stratagem import sysconfig as sysconfig
from stratagem import test as test
from stratagem import tpu as tpu
from stratagem import train as train
from stratagem import types as types
from stratagem import version as version
from stratagem._autograph import function as function
from stratagem._autograph import vectorized_map as vectorized_map
from stratagem._base.log import get_logger as get_logger
from stratagem._core.step import GradientTape as GradientTape
from stratagem._core.step import UnconnectedGradients as UnconnectedGradients
from stratagem._core.step import custom_gradient as custom_gradient
from stratagem._core.step import executing_eagerly as executing_eagerly
from stratagem._core.step import grad_pass_through as grad_pass_through
from stratagem._core.step import gradients as gradients
from stratagem._core.step import hessians as hessians
from stratagem._core.step import init_scope as init_scope
from stratagem._core.step import inside_function as inside_function
from stratagem._core.step import recompute_grad as recompute_grad
from stratagem._core.values import IndexedSlices as IndexedSlices
from stratagem._core.values import IndexedSlicesSpec as IndexedSlicesSpec
from stratagem._core.values import Module as Module
from stratagem._core.values import TensorShape as TensorShape
from stratagem._core.values import TensorSpec as TensorSpec
from stratagem._core.values import TypeSpec as TypeSpec
from stratagem._core.values import Variable as Variable
from stratagem._core.values import VariableAggregation as VariableAggregation
from stratagem._core.values import VariableSynchronization as VariableSynchronization
from stratagem._core.values import get_current_name_scope as get_current_name_scope
from stratagem._core.values import name_scope as name_scope
from stratagem._core.values import register_tensor_conversion_function as register_tensor_conversion_function
from stratagem._core.values import variable_creator_scope as variable_creator_scope
from stratagem._data import OptionalSpec as OptionalSpec
from stratagem._devices import DeviceSpec as DeviceSpec
from stratagem._devices import device as device
from stratagem._hooks import install_as_tensorflow as install_as_tensorflow
from stratagem._launch.functions import launch as launch
from stratagem._ops import AggregationMethod as AggregationMethod
from stratagem._ops import Assert as Assert
from stratagem._ops import CriticalSection as CriticalSection
from stratagem._ops import DType as DType
from stratagem._ops import Tensor as Tensor
from stratagem._ops import abs as abs
from stratagem._ops import acos as acos
from stratagem._ops import acosh as acosh
from stratagem._ops import add as add
from stratagem._ops import add_n as add_n
from stratagem._ops import approx_top_k as approx_top_k
from stratagem._ops import argmax as argmax
from stratagem._ops import argmin as argmin
from stratagem._ops import argsort as argsort
from stratagem._ops import as_dtype as as_dtype
from stratagem._ops import asin as asin
from stratagem._ops import asinh as asinh
from stratagem._ops import assert_equal as assert_equal
from stratagem._ops import assert_greater as assert_greater
from stratagem._ops import assert_less as assert_less
from stratagem._ops import assert_rank as assert_rank
from stratagem._ops import atan as atan
from stratagem._ops import atan2 as atan2
from stratagem._ops import atanh as atanh
from stratagem._ops import bfloat16 as bfloat16
from stratagem._ops import bitcast as bitcast
from stratagem._ops import boolean_mask as boolean_mask
from stratagem._ops import broadcast_dynamic_shape as broadcast_dynamic_shape
from stratagem._ops import broadcast_static_shape as broadcast_static_shape
from stratagem._ops import broadcast_to as broadcast_to
from stratagem._ops import cast as cast
from stratagem._ops import clip_by_global_norm as clip_by_global_norm
from stratagem._ops import clip_by_norm as clip_by_norm
from stratagem._ops import clip_by_value as clip_by_value
from stratagem._ops import complex as complex
from stratagem._ops import complex64 as complex64
from stratagem._ops import complex128 as complex128
from stratagem._ops import concat as concat
from stratagem._ops import constant as constant
from stratagem._ops import convert_to_tensor as convert_to_tensor
from stratagem._ops import cos as cos
from stratagem._ops import cosh as cosh
from stratagem._ops import cumsum as cumsum
from stratagem._ops import divide as divide
from stratagem._ops import double as double
from stratagem._ops import dynamic_partition as dynamic_partition
from stratagem._ops import dynamic_stitch as dynamic_stitch
from stratagem._ops import eig as eig
from stratagem._ops import eigvals as eigvals
from stratagem._ops import einsum as einsum
from stratagem._ops import ensure_shape as ensure_shape
from stratagem._ops import equal as equal
from stratagem._ops import exp as exp
from stratagem._ops import expand_dims as expand_dims
from stratagem._ops import eye as eye
from stratagem._ops import fill as fill
from stratagem._ops import float16 as float16
from stratagem._ops import float32 as float32
from stratagem._ops import float64 as float64
from stratagem._ops import floor as floor
from stratagem._ops import gather as gather
from stratagem._ops import gather_nd as gather_nd
from stratagem._ops import get_static_value as get_static_value
from stratagem._ops import greater as greater
from stratagem._ops import greater_equal as greater_equal
from stratagem._ops import guarantee_const as guarantee_const
from stratagem._ops import half as half
from stratagem._ops import histogram_fixed_width as histogram_fixed_width
from stratagem._ops import histogram_fixed_width_bins as histogram_fixed_width_bins
from stratagem._ops import identity as identity
from stratagem._ops import identity_n as identity_n
from stratagem._ops import int8 as int8
from stratagem._ops import int16 as int16
from stratagem._ops import int32 as int32
from stratagem._ops import int64 as int64
from stratagem._ops import is_symbolic_tensor as is_symbolic_tensor
from stratagem._ops import less as less
from stratagem._ops import less_equal as less_equal
from stratagem._ops import linspace as linspace
from stratagem._ops import logical_and as logical_and
from stratagem._ops import logical_not as logical_not
from stratagem._ops import logical_or as logical_or
from stratagem._ops import make_ndarray as make_ndarray
from stratagem._ops import make_tensor_proto as make_tensor_proto
from stratagem._ops import matmul as matmul
from stratagem._ops import matrix_square_root as matrix_square_root
from stratagem._ops import maximum as maximum
from stratagem._ops import meshgrid as meshgrid
from stratagem._ops import minimum as minimum
from stratagem._ops import multiply as multiply
from stratagem._ops import negative as negative
from stratagem._ops import norm as norm
from stratagem._ops import not_equal as not_equal
from stratagem._ops import numpy_function as numpy_function
from stratagem._ops import one_hot as one_hot
from stratagem._ops import ones as ones
from stratagem._ops import ones_like as ones_like
from stratagem._ops import pad as pad
from stratagem._ops import parallel_stack as parallel_stack
from stratagem._ops import pow as pow
from stratagem._ops import print as print
from stratagem._ops import py_function as py_function
from stratagem._ops import range as range
from stratagem._ops import rank as rank
from stratagem._ops import realdiv as realdiv
from stratagem._ops import reduce_all as reduce_all
from stratagem._ops import reduce_any as reduce_any
from stratagem._ops import reduce_logsumexp as reduce_logsumexp
from stratagem._ops import reduce_max as reduce_max
from stratagem._ops import reduce_mean as reduce_mean
from stratagem._ops import reduce_min as reduce_min
from stratagem._ops import reduce_prod as reduce_prod
from stratagem._ops import reduce_sum as reduce_sum
from stratagem._ops import repeat as repeat
from stratagem._ops import reshape as reshape
from stratagem._ops import reverse as reverse
from stratagem._ops import reverse_sequence as reverse_sequence
from stratagem._ops import roll as roll
from stratagem._ops import round as round
from stratagem._ops import saturate_cast as saturate_cast
from stratagem._ops import scalar_mul as scalar_mul
from stratagem._ops import scatter_nd as scatter_nd
from stratagem._ops import searchsorted as searchsorted
from stratagem._ops import sequence_mask as sequence_mask
from stratagem._ops import shape as shape
from stratagem._ops import shape_n as shape_n
from stratagem._ops import sigmoid as sigmoid
from stratagem._ops import sign as sign
from stratagem._ops import sin as sin
from stratagem._ops import sinh as sinh
from stratagem._ops import size as size
from stratagem._ops import slice as slice
from stratagem._ops import sort as sort
from stratagem._ops import split as split
from stratagem._ops import sqrt as sqrt
from stratagem._ops import square as square
from stratagem._ops import squeeze as squeeze
from stratagem._ops import stack as stack
from stratagem._ops import stop_gradient as stop_gradient
from stratagem._ops import strided_slice as strided_slice
from stratagem._ops import string as string
from stratagem._ops import subtract as subtract
from stratagem._ops import tan as tan
from stratagem._ops import tanh as tanh
from stratagem._ops import tensor_scatter_nd_add as tensor_scatter_nd_add
from stratagem._ops import tensor_scatter_nd_max as tensor_scatter_nd_max
from stratagem._ops import tensor_scatter_nd_min as tensor_scatter_nd_min
from stratagem._ops import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from stratagem._ops import tensor_scatter_nd_update as tensor_scatter_nd_update
from stratagem._ops import tensordot as tensordot
from stratagem._ops import tile as tile
from stratagem._ops import timestamp as timestamp
from stratagem._ops import transpose as transpose
from stratagem._ops import truediv as truediv
from stratagem._ops import truncatediv as truncatediv
from stratagem._ops import truncatemod as truncatemod
from stratagem._ops import tuple as tuple
from stratagem._ops import type_spec_from_value as type_spec_from_value
from stratagem._ops import uint8 as uint8
from stratagem._ops import uint16 as uint16
from stratagem._ops import uint32 as uint32
from stratagem._ops import uint64 as uint64
from stratagem._ops import unique as unique
from stratagem._ops import unique_with_counts as unique_with_counts
from stratagem._ops import unravel_index as unravel_index
from stratagem._ops import unstack as unstack
from stratagem._ops import where as where
from stratagem._ops import zeros as zeros
from stratagem._ops import zeros_like as zeros_like
from stratagem._ops.flow import TensorArray as TensorArray
from stratagem._ops.flow import TensorArraySpec as TensorArraySpec
from stratagem._ops.flow import case as case
from stratagem._ops.flow import cond as cond
from stratagem._ops.flow import foldl as foldl
from stratagem._ops.flow import foldr as foldr
from stratagem._ops.flow import map_fn as map_fn
from stratagem._ops.flow import scan as scan
from stratagem._ops.flow import switch_case as switch_case
from stratagem._ops.flow import while_loop as while_loop
from stratagem._ops.nn import batch_to_space as batch_to_space
from stratagem._ops.nn import conv as conv
from stratagem._ops.nn import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
from stratagem._ops.nn import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
from stratagem._ops.nn import extract_volume_patches as extract_volume_patches
from stratagem._ops.nn import required_space_to_batch_paddings as required_space_to_batch_paddings
from stratagem._ops.nn import space_to_batch as space_to_batch
from stratagem._ops.nn import space_to_batch_nd as space_to_batch_nd
from stratagem._ops.ragged import RaggedTensor as RaggedTensor
from stratagem._ops.ragged import RaggedTensorSpec as RaggedTensorSpec
from stratagem._ops.sampling import random_index_shuffle as random_index_shuffle
from stratagem._ops.sampling._initializers import ConstantInitializer as constant_initializer
from stratagem._ops.sampling._initializers import OnesInitializer as ones_initializer
from stratagem._ops.sampling._initializers import RandomNormalInitializer as random_normal_initializer
from stratagem._ops.sampling._initializers import RandomUniformInitializer as random_uniform_initializer
from stratagem._ops.sampling._initializers import ZerosInitializer as zeros_initializer
from stratagem._ops.sparse import SparseTensor as SparseTensor
from stratagem._ops.sparse import SparseTensorSpec as SparseTensorSpec
from stratagem._ops.text import as_string as as_string
from stratagem._ops.text import fingerprint as fingerprint
from stratagem._ops.text import is_tensor as is_tensor
from stratagem._tf1.graph import Graph as Graph
from stratagem._tf1.graph import Operation as Operation
from stratagem._tf1.graph import control_dependencies as control_dependencies
from stratagem._tf1.graph import enable_v2_behavior as enable_v2_behavior
from stratagem._tf1.graph import group as group
from stratagem._tf1.graph import no_op as no_op
from stratagem.dtypes import bool as bool
from stratagem.keras import initializers as initializers
from stratagem.keras import losses as losses
from stratagem.keras import metrics as metrics
from stratagem.keras import optimizers as optimizers
from stratagem.keras import regularizers as regularizers

__version__: str
newaxis: None

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
