# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem import AggregationMethod as AggregationMethod
from stratagem import Assert as Assert
from stratagem import CriticalSection as CriticalSection
from stratagem import DType as DType
from stratagem import GradientTape as GradientTape
from stratagem import IndexedSlices as IndexedSlices
from stratagem import IndexedSlicesSpec as IndexedSlicesSpec
from stratagem import Module as Module
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
from stratagem import VariableAggregation as VariableAggregation
from stratagem import VariableSynchronization as VariableSynchronization
from stratagem import abs as abs
from stratagem import acos as acos
from stratagem import acosh as acosh
from stratagem import add as add
from stratagem import add_n as add_n
from stratagem import approx_top_k as approx_top_k
from stratagem import argsort as argsort
from stratagem import as_dtype as as_dtype
from stratagem import as_string as as_string
from stratagem import asin as asin
from stratagem import asinh as asinh
from stratagem import atan as atan
from stratagem import atan2 as atan2
from stratagem import atanh as atanh
from stratagem import autograph as autograph
from stratagem import batch_to_space as batch_to_space_nd
from stratagem import bfloat16 as bfloat16
from stratagem import bitcast as bitcast
from stratagem import bitwise as bitwise
from stratagem import bool as bool
from stratagem import broadcast_dynamic_shape as broadcast_dynamic_shape
from stratagem import broadcast_static_shape as broadcast_static_shape
from stratagem import broadcast_to as broadcast_to
from stratagem import case as case
from stratagem import cast as cast
from stratagem import clip_by_global_norm as clip_by_global_norm
from stratagem import clip_by_norm as clip_by_norm
from stratagem import clip_by_value as clip_by_value
from stratagem import complex as complex
from stratagem import complex64 as complex64
from stratagem import complex128 as complex128
from stratagem import concat as concat
from stratagem import config as config
from stratagem import conv as conv
from stratagem import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
from stratagem import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
from stratagem import cos as cos
from stratagem import cosh as cosh
from stratagem import cumsum as cumsum
from stratagem import custom_gradient as custom_gradient
from stratagem import distribute as distribute
from stratagem import divide as divide
from stratagem import double as double
from stratagem import dtypes as dtypes
from stratagem import dynamic_partition as dynamic_partition
from stratagem import dynamic_stitch as dynamic_stitch
from stratagem import einsum as einsum
from stratagem import ensure_shape as ensure_shape
from stratagem import equal as equal
from stratagem import exp as exp
from stratagem import experimental as experimental
from stratagem import extract_volume_patches as extract_volume_patches
from stratagem import eye as eye
from stratagem import fill as fill
from stratagem import fingerprint as fingerprint
from stratagem import float16 as float16
from stratagem import float32 as float32
from stratagem import float64 as float64
from stratagem import floor as floor
from stratagem import foldl as foldl
from stratagem import foldr as foldr
from stratagem import function as function
from stratagem import get_static_value as get_static_value
from stratagem import grad_pass_through as grad_pass_through
from stratagem import greater as greater
from stratagem import greater_equal as greater_equal
from stratagem import guarantee_const as guarantee_const
from stratagem import half as half
from stratagem import histogram_fixed_width as histogram_fixed_width
from stratagem import histogram_fixed_width_bins as histogram_fixed_width_bins
from stratagem import identity as identity
from stratagem import identity_n as identity_n
from stratagem import int8 as int8
from stratagem import int16 as int16
from stratagem import int32 as int32
from stratagem import int64 as int64
from stratagem import is_symbolic_tensor as is_symbolic_tensor
from stratagem import is_tensor as is_tensor
from stratagem import keras as keras
from stratagem import less as less
from stratagem import less_equal as less_equal
from stratagem import linspace as lin_space
from stratagem import linspace as linspace
from stratagem import logical_and as logical_and
from stratagem import logical_not as logical_not
from stratagem import logical_or as logical_or
from stratagem import make_ndarray as make_ndarray
from stratagem import make_tensor_proto as make_tensor_proto
from stratagem import map_fn as map_fn
from stratagem import matmul as matmul
from stratagem import matrix_square_root as matrix_square_root
from stratagem import maximum as maximum
from stratagem import meshgrid as meshgrid
from stratagem import minimum as minimum
from stratagem import multiply as multiply
from stratagem import negative as negative
from stratagem import nest as nest
from stratagem import newaxis as newaxis
from stratagem import not_equal as not_equal
from stratagem import numpy_function as numpy_function
from stratagem import one_hot as one_hot
from stratagem import ones as ones
from stratagem import parallel_stack as parallel_stack
from stratagem import pow as pow
from stratagem import print as print
from stratagem import profiler as profiler
from stratagem import py_function as py_function
from stratagem import quantization as quantization
from stratagem import random_index_shuffle as random_index_shuffle
from stratagem import range as range
from stratagem import rank as rank
from stratagem import realdiv as realdiv
from stratagem import recompute_grad as recompute_grad
from stratagem import register_tensor_conversion_function as register_tensor_conversion_function
from stratagem import repeat as repeat
from stratagem import required_space_to_batch_paddings as required_space_to_batch_paddings
from stratagem import reshape as reshape
from stratagem import reverse as reverse
from stratagem import reverse as reverse_v2
from stratagem import roll as roll
from stratagem import round as round
from stratagem import saturate_cast as saturate_cast
from stratagem import scalar_mul as scalar_mul
from stratagem import scan as scan
from stratagem import scatter_nd as scatter_nd
from stratagem import searchsorted as searchsorted
from stratagem import sequence_mask as sequence_mask
from stratagem import shape_n as shape_n
from stratagem import sigmoid as sigmoid
from stratagem import sign as sign
from stratagem import signal as signal
from stratagem import sin as sin
from stratagem import sinh as sinh
from stratagem import slice as slice
from stratagem import sort as sort
from stratagem import space_to_batch_nd as space_to_batch_nd
from stratagem import split as split
from stratagem import sqrt as sqrt
from stratagem import square as square
from stratagem import stack as stack
from stratagem import stop_gradient as stop_gradient
from stratagem import strided_slice as strided_slice
from stratagem import string as string
from stratagem import subtract as subtract
from stratagem import switch_case as switch_case
from stratagem import sysconfig as sysconfig
from stratagem import tan as tan
from stratagem import tanh as tanh
from stratagem import tensor_scatter_nd_add as tensor_scatter_add
from stratagem import tensor_scatter_nd_add as tensor_scatter_nd_add
from stratagem import tensor_scatter_nd_max as tensor_scatter_nd_max
from stratagem import tensor_scatter_nd_min as tensor_scatter_nd_min
from stratagem import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from stratagem import tensor_scatter_nd_sub as tensor_scatter_sub
from stratagem import tensor_scatter_nd_update as tensor_scatter_nd_update
from stratagem import tensor_scatter_nd_update as tensor_scatter_update
from stratagem import tensordot as tensordot
from stratagem import test as test
from stratagem import tile as tile
from stratagem import timestamp as timestamp
from stratagem import truediv as truediv
from stratagem import truncatediv as truncatediv
from stratagem import truncatemod as truncatemod
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
from stratagem import where as where_v2
from stratagem import zeros as zeros
from stratagem._cluster import ConfigProto as ConfigProto
from stratagem._cluster import GPUOptions as GPUOptions
from stratagem._cluster import GraphOptions as GraphOptions
from stratagem._cluster import OptimizerOptions as OptimizerOptions
from stratagem._cluster import RunMetadata as RunMetadata
from stratagem._cluster import SessionRunOptions as RunOptions
from stratagem._core.step import executing_eagerly as executing_eagerly
from stratagem._core.step import executing_eagerly as executing_eagerly_outside_functions
from stratagem._core.step import init_scope as init_scope
from stratagem._core.values import Dimension as Dimension
from stratagem._core.values import dimension_at_index as dimension_at_index
from stratagem._core.values import dimension_value as dimension_value
from stratagem._core.values import fixed_size_partitioner as fixed_size_partitioner
from stratagem._core.values import min_max_variable_partitioner as min_max_variable_partitioner
from stratagem._core.values import variable_axis_size_partitioner as variable_axis_size_partitioner
from stratagem._devices import MutableDeviceSpec as DeviceSpec
from stratagem._tf1.graph import AUTO_REUSE as AUTO_REUSE
from stratagem._tf1.graph import Constant as constant_initializer
from stratagem._tf1.graph import GlorotNormal as glorot_normal_initializer
from stratagem._tf1.graph import GlorotUniform as glorot_uniform_initializer
from stratagem._tf1.graph import Graph as Graph
from stratagem._tf1.graph import GraphKeys as GraphKeys
from stratagem._tf1.graph import Ones as ones_initializer
from stratagem._tf1.graph import Operation as Operation
from stratagem._tf1.graph import Orthogonal as orthogonal_initializer
from stratagem._tf1.graph import RandomNormal as random_normal_initializer
from stratagem._tf1.graph import RandomUniform as random_uniform_initializer
from stratagem._tf1.graph import TruncatedNormal as truncated_normal_initializer
from stratagem._tf1.graph import UniformUnitScaling as uniform_unit_scaling_initializer
from stratagem._tf1.graph import VariableScope as VariableScope
from stratagem._tf1.graph import VarianceScaling as variance_scaling_initializer
from stratagem._tf1.graph import Zeros as zeros_initializer
from stratagem._tf1.graph import add_to_collection as add_to_collection
from stratagem._tf1.graph import add_to_collections as add_to_collections
from stratagem._tf1.graph import all_variables as all_variables
from stratagem._tf1.graph import assign as assign
from stratagem._tf1.graph import assign_add as assign_add
from stratagem._tf1.graph import assign_sub as assign_sub
from stratagem._tf1.graph import colocate_with as colocate_with
from stratagem._tf1.graph import control_dependencies as control_dependencies
from stratagem._tf1.graph import device as device
from stratagem._tf1.graph import disable_control_flow_v2 as disable_control_flow_v2
from stratagem._tf1.graph import disable_eager_execution as disable_eager_execution
from stratagem._tf1.graph import disable_resource_variables as disable_resource_variables
from stratagem._tf1.graph import disable_tensor_equality as disable_tensor_equality
from stratagem._tf1.graph import disable_v2_behavior as disable_v2_behavior
from stratagem._tf1.graph import disable_v2_tensorshape as disable_v2_tensorshape
from stratagem._tf1.graph import enable_control_flow_v2 as enable_control_flow_v2
from stratagem._tf1.graph import enable_eager_execution as enable_eager_execution
from stratagem._tf1.graph import enable_resource_variables as enable_resource_variables
from stratagem._tf1.graph import enable_tensor_equality as enable_tensor_equality
from stratagem._tf1.graph import enable_v2_behavior as enable_v2_behavior
from stratagem._tf1.graph import enable_v2_tensorshape as enable_v2_tensorshape
from stratagem._tf1.graph import get_collection as get_collection
from stratagem._tf1.graph import get_collection_ref as get_collection_ref
from stratagem._tf1.graph import get_default_graph as get_default_graph
from stratagem._tf1.graph import get_local_variable as get_local_variable
from stratagem._tf1.graph import get_variable as get_variable
from stratagem._tf1.graph import get_variable_scope as get_variable_scope
from stratagem._tf1.graph import global_variables as global_variables
from stratagem._tf1.graph import group as group
from stratagem._tf1.graph import local_variables as local_variables
from stratagem._tf1.graph import model_variables as model_variables
from stratagem._tf1.graph import name_scope as name_scope
from stratagem._tf1.graph import no_op as no_op
from stratagem._tf1.graph import placeholder as placeholder
from stratagem._tf1.graph import placeholder_with_default as placeholder_with_default
from stratagem._tf1.graph import reset_default_graph as reset_default_graph
from stratagem._tf1.graph import resource_variables_enabled as resource_variables_enabled
from stratagem._tf1.graph import trainable_variables as trainable_variables
from stratagem._tf1.graph import variable as Variable
from stratagem._tf1.graph import variable_scope as variable_scope
from stratagem._tf1.graph.functions.arrays import boolean_mask as boolean_mask
from stratagem._tf1.graph.functions.arrays import clip_by_average_norm as clip_by_average_norm
from stratagem._tf1.graph.functions.arrays import confusion_matrix as confusion_matrix
from stratagem._tf1.graph.functions.arrays import convert_to_tensor as convert_to_tensor
from stratagem._tf1.graph.functions.arrays import div as div
from stratagem._tf1.graph.functions.arrays import expand_dims as expand_dims
from stratagem._tf1.graph.functions.arrays import gather as gather
from stratagem._tf1.graph.functions.arrays import gather_nd as gather_nd
from stratagem._tf1.graph.functions.arrays import ones_like as ones_like
from stratagem._tf1.graph.functions.arrays import pad as pad
from stratagem._tf1.graph.functions.arrays import print_tensor as Print
from stratagem._tf1.graph.functions.arrays import py_func as py_func
from stratagem._tf1.graph.functions.arrays import shape as shape
from stratagem._tf1.graph.functions.arrays import size as size
from stratagem._tf1.graph.functions.arrays import squeeze as squeeze
from stratagem._tf1.graph.functions.arrays import to_bfloat16 as to_bfloat16
from stratagem._tf1.graph.functions.arrays import to_double as to_double
from stratagem._tf1.graph.functions.arrays import to_float as to_float
from stratagem._tf1.graph.functions.arrays import to_int32 as to_int32
from stratagem._tf1.graph.functions.arrays import to_int64 as to_int64
from stratagem._tf1.graph.functions.arrays import transpose as transpose
from stratagem._tf1.graph.functions.arrays import tuple_of as tuple
from stratagem._tf1.graph.functions.arrays import where as where
from stratagem._tf1.graph.functions.arrays import zeros_like as zeros_like
from stratagem._tf1.graph.functions.blocks import batch_to_space as batch_to_space
from stratagem._tf1.graph.functions.blocks import reverse_sequence as reverse_sequence
from stratagem._tf1.graph.functions.blocks import space_to_batch as space_to_batch
from stratagem._tf1.graph.functions.flow import cond as cond
from stratagem._tf1.graph.functions.flow import while_loop as while_loop
from stratagem._tf1.graph.functions.images import extract_image_patches as extract_image_patches
from stratagem._tf1.graph.functions.random import multinomial as multinomial
from stratagem._tf1.graph.functions.random import normal as random_normal
from stratagem._tf1.graph.functions.random import poisson as random_poisson
from stratagem._tf1.graph.functions.random import truncated_normal as truncated_normal
from stratagem._tf1.graph.functions.random import uniform as random_uniform
from stratagem._tf1.graph.functions.reductions import argmax as argmax
from stratagem._tf1.graph.functions.reductions import argmin as argmin
from stratagem._tf1.graph.functions.reductions import count_nonzero as count_nonzero
from stratagem._tf1.graph.functions.reductions import norm as norm
from stratagem._tf1.graph.functions.reductions import reduce_all as reduce_all
from stratagem._tf1.graph.functions.reductions import reduce_any as reduce_any
from stratagem._tf1.graph.functions.reductions import reduce_logsumexp as reduce_logsumexp
from stratagem._tf1.graph.functions.reductions import reduce_max as reduce_max
from stratagem._tf1.graph.functions.reductions import reduce_mean as reduce_mean
from stratagem._tf1.graph.functions.reductions import reduce_min as reduce_min
from stratagem._tf1.graph.functions.reductions import reduce_prod as reduce_prod
from stratagem._tf1.graph.functions.reductions import reduce_sum as reduce_sum
from stratagem._tf1.graph.functions.reordered import arg_max as arg_max
from stratagem._tf1.graph.functions.reordered import arg_min as arg_min
from stratagem._tf1.graph.functions.reordered import assert_equal as assert_equal
from stratagem._tf1.graph.functions.reordered import assert_greater as assert_greater
from stratagem._tf1.graph.functions.reordered import assert_greater_equal as assert_greater_equal
from stratagem._tf1.graph.functions.reordered import assert_less as assert_less
from stratagem._tf1.graph.functions.reordered import assert_less_equal as assert_less_equal
from stratagem._tf1.graph.functions.reordered import assert_near as assert_near
from stratagem._tf1.graph.functions.reordered import assert_negative as assert_negative
from stratagem._tf1.graph.functions.reordered import assert_non_negative as assert_non_negative
from stratagem._tf1.graph.functions.reordered import assert_non_positive as assert_non_positive
from stratagem._tf1.graph.functions.reordered import assert_none_equal as assert_none_equal
from stratagem._tf1.graph.functions.reordered import assert_positive as assert_positive
from stratagem._tf1.graph.functions.reordered import assert_rank as assert_rank
from stratagem._tf1.graph.functions.reordered import assert_rank_at_least as assert_rank_at_least
from stratagem._tf1.graph.functions.reordered import assert_rank_in as assert_rank_in
from stratagem._tf1.graph.functions.reordered import assert_scalar as assert_scalar
from stratagem._tf1.graph.functions.reordered import constant as constant
from stratagem._tf1.graph.functions.reordered import decode_csv as decode_csv
from stratagem._tf1.graph.functions.reordered import decode_raw as decode_raw
from stratagem._tf1.graph.functions.reordered import depth_to_space as depth_to_space
from stratagem._tf1.graph.functions.reordered import diag as diag
from stratagem._tf1.graph.functions.reordered import diag_part as diag_part
from stratagem._tf1.graph.functions.reordered import gradients as gradients
from stratagem._tf1.graph.functions.reordered import hessians as hessians
from stratagem._tf1.graph.functions.reordered import parse_example as parse_example
from stratagem._tf1.graph.functions.reordered import parse_single_example as parse_single_example
from stratagem._tf1.graph.functions.reordered import reduce_join as reduce_join
from stratagem._tf1.graph.functions.reordered import space_to_depth as space_to_depth
from stratagem._tf1.graph.functions.reordered import string_to_hash_bucket as string_to_hash_bucket
from stratagem._tf1.graph.functions.reordered import string_to_number as string_to_number
from stratagem._tf1.graph.functions.reordered import substr as substr
from stratagem._tf1.graph.functions.reordered import verify_tensor_all_finite as verify_tensor_all_finite
from stratagem._tf1.graph.functions.sparse import SparseTensorValue as SparseTensorValue
from stratagem._tf1.graph.functions.sparse import add as sparse_add
from stratagem._tf1.graph.functions.sparse import concat as sparse_concat
from stratagem._tf1.graph.functions.sparse import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from stratagem._tf1.graph.functions.sparse import matmul_of_zeros as sparse_matmul
from stratagem._tf1.graph.functions.sparse import merge as sparse_merge
from stratagem._tf1.graph.functions.sparse import reduce_max as sparse_reduce_max
from stratagem._tf1.graph.functions.sparse import reduce_max_sparse as sparse_reduce_max_sparse
from stratagem._tf1.graph.functions.sparse import reduce_sum as sparse_reduce_sum
from stratagem._tf1.graph.functions.sparse import reduce_sum_sparse as sparse_reduce_sum_sparse
from stratagem._tf1.graph.functions.sparse import segment_mean as sparse_segment_mean
from stratagem._tf1.graph.functions.sparse import segment_sqrt_n as sparse_segment_sqrt_n
from stratagem._tf1.graph.functions.sparse import segment_sum as sparse_segment_sum
from stratagem._tf1.graph.functions.sparse import split as sparse_split
from stratagem._tf1.graph.functions.sparse import to_dense_of_parts as sparse_to_dense
from stratagem._tf1.graph.functions.splits import string_split as string_split
from stratagem._tf1.graph.functions.tables import tables_initializer as initialize_all_tables
from stratagem._tf1.graph.functions.tables import tables_initializer as tables_initializer
from stratagem._tf1.graph.log import get_logger as get_logger
from stratagem._tf1.sessions import InteractiveSession as InteractiveSession
from stratagem._tf1.sessions import Session as Session
from stratagem._tf1.sessions import Summary as Summary
from stratagem._tf1.sessions import get_default_session as get_default_session
from stratagem._tf1.sessions import global_variables_initializer as global_variables_initializer
from stratagem._tf1.sessions import global_variables_initializer as initialize_all_variables
from stratagem._tf1.sessions import is_variable_initialized as is_variable_initialized
from stratagem._tf1.sessions import local_variables_initializer as initialize_local_variables
from stratagem._tf1.sessions import local_variables_initializer as local_variables_initializer
from stratagem._tf1.sessions import report_uninitialized_variables as report_uninitialized_variables
from stratagem._tf1.sessions import variables_initializer as initialize_variables
from stratagem._tf1.sessions import variables_initializer as variables_initializer
from stratagem.compat.v1 import app as app
from stratagem.compat.v1 import compat as compat
from stratagem.compat.v1 import data as data
from stratagem.compat.v1 import debugging as debugging
from stratagem.compat.v1 import errors as errors
from stratagem.compat.v1 import estimator as estimator
from stratagem.compat.v1 import feature_column as feature_column
from stratagem.compat.v1 import flags as flags
from stratagem.compat.v1 import gfile as gfile
from stratagem.compat.v1 import image as image
from stratagem.compat.v1 import initializers as initializers
from stratagem.compat.v1 import io as io
from stratagem.compat.v1 import layers as layers
from stratagem.compat.v1 import linalg as linalg
from stratagem.compat.v1 import logging as logging
from stratagem.compat.v1 import lookup as lookup
from stratagem.compat.v1 import losses as losses
from stratagem.compat.v1 import math as math
from stratagem.compat.v1 import metrics as metrics
from stratagem.compat.v1 import nn as nn
from stratagem.compat.v1 import python_io as python_io
from stratagem.compat.v1 import ragged as ragged
from stratagem.compat.v1 import random as random
from stratagem.compat.v1 import saved_model as saved_model
from stratagem.compat.v1 import sparse as sparse
from stratagem.compat.v1 import strings as strings
from stratagem.compat.v1 import summary as summary
from stratagem.compat.v1 import tpu as tpu
from stratagem.compat.v1 import train as train
from stratagem.debugging import assert_integer as assert_integer
from stratagem.debugging import assert_proper_iterable as assert_proper_iterable
from stratagem.debugging import assert_same_float_dtype as assert_same_float_dtype
from stratagem.debugging import assert_type as assert_type
from stratagem.debugging import check_numerics as check_numerics
from stratagem.debugging import is_numeric_tensor as is_numeric_tensor
from stratagem.image import random_crop as random_crop
from stratagem.io import FixedLenFeature as FixedLenFeature
from stratagem.io import FixedLenSequenceFeature as FixedLenSequenceFeature
from stratagem.io import VarLenFeature as VarLenFeature
from stratagem.io import decode_base64 as decode_base64
from stratagem.io import decode_compressed as decode_compressed
from stratagem.io import decode_json_example as decode_json_example
from stratagem.io import encode_base64 as encode_base64
from stratagem.io import matching_files as matching_files
from stratagem.io import parse_single_sequence_example as parse_single_sequence_example
from stratagem.io import parse_tensor as parse_tensor
from stratagem.io import read_file as read_file
from stratagem.io import serialize_tensor as serialize_tensor
from stratagem.io import write_file as write_file
from stratagem.linalg import band_part as matrix_band_part
from stratagem.linalg import cholesky as cholesky
from stratagem.linalg import cholesky_solve as cholesky_solve
from stratagem.linalg import cross as cross
from stratagem.linalg import det as matrix_determinant
from stratagem.linalg import diag as matrix_diag
from stratagem.linalg import diag_part as matrix_diag_part
from stratagem.linalg import eigh as self_adjoint_eig
from stratagem.linalg import global_norm as global_norm
from stratagem.linalg import inv as matrix_inverse
from stratagem.linalg import matrix_transpose as matrix_transpose
from stratagem.linalg import qr as qr
from stratagem.linalg import solve as matrix_solve
from stratagem.linalg import svd as svd
from stratagem.linalg import trace as trace
from stratagem.linalg import triangular_solve as matrix_triangular_solve
from stratagem.math import accumulate_n as accumulate_n
from stratagem.math import angle as angle
from stratagem.math import betainc as betainc
from stratagem.math import bincount as bincount
from stratagem.math import ceil as ceil
from stratagem.math import conj as conj
from stratagem.math import cumprod as cumprod
from stratagem.math import digamma as digamma
from stratagem.math import divide_no_nan as div_no_nan
from stratagem.math import erf as erf
from stratagem.math import erfc as erfc
from stratagem.math import expm1 as expm1
from stratagem.math import floordiv as floor_div
from stratagem.math import floordiv as floordiv
from stratagem.math import floormod as floormod
from stratagem.math import igamma as igamma
from stratagem.math import igammac as igammac
from stratagem.math import imag as imag
from stratagem.math import invert_permutation as invert_permutation
from stratagem.math import is_finite as is_finite
from stratagem.math import is_inf as is_inf
from stratagem.math import is_nan as is_nan
from stratagem.math import is_non_decreasing as is_non_decreasing
from stratagem.math import is_strictly_increasing as is_strictly_increasing
from stratagem.math import lbeta as lbeta
from stratagem.math import lgamma as lgamma
from stratagem.math import log as log
from stratagem.math import log1p as log1p
from stratagem.math import log_sigmoid as log_sigmoid
from stratagem.math import logical_xor as logical_xor
from stratagem.math import mod as mod
from stratagem.math import polygamma as polygamma
from stratagem.math import real as real
from stratagem.math import reciprocal as reciprocal
from stratagem.math import rint as rint
from stratagem.math import rsqrt as rsqrt
from stratagem.math import segment_max as segment_max
from stratagem.math import segment_mean as segment_mean
from stratagem.math import segment_min as segment_min
from stratagem.math import segment_prod as segment_prod
from stratagem.math import segment_sum as segment_sum
from stratagem.math import squared_difference as squared_difference
from stratagem.math import unsorted_segment_max as unsorted_segment_max
from stratagem.math import unsorted_segment_mean as unsorted_segment_mean
from stratagem.math import unsorted_segment_min as unsorted_segment_min
from stratagem.math import unsorted_segment_prod as unsorted_segment_prod
from stratagem.math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from stratagem.math import unsorted_segment_sum as unsorted_segment_sum
from stratagem.math import zeta as zeta
from stratagem.random import gamma as random_gamma
from stratagem.random import set_seed as set_random_seed
from stratagem.random import shuffle as random_shuffle
from stratagem.sparse import fill_empty_rows as sparse_fill_empty_rows
from stratagem.sparse import mask as sparse_mask
from stratagem.sparse import maximum as sparse_maximum
from stratagem.sparse import minimum as sparse_minimum
from stratagem.sparse import reorder as sparse_reorder
from stratagem.sparse import reset_shape as sparse_reset_shape
from stratagem.sparse import reshape as sparse_reshape
from stratagem.sparse import retain as sparse_retain
from stratagem.sparse import slice as sparse_slice
from stratagem.sparse import softmax as sparse_softmax
from stratagem.sparse import sparse_dense_matmul as sparse_tensor_dense_matmul
from stratagem.sparse import to_dense as sparse_tensor_to_dense
from stratagem.sparse import to_indicator as sparse_to_indicator
from stratagem.sparse import transpose as sparse_transpose
from stratagem.strings import join as string_join
from stratagem.strings import regex_replace as regex_replace
from stratagem.strings import strip as string_strip
from stratagem.strings import to_hash_bucket_fast as string_to_hash_bucket_fast
from stratagem.strings import to_hash_bucket_strong as string_to_hash_bucket_strong

__version__: str

__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "ConfigProto", "CriticalSection", "DType", "DeviceSpec", "Dimension",
    "FixedLenFeature", "FixedLenSequenceFeature", "GPUOptions", "GradientTape", "Graph", "GraphKeys", "GraphOptions",
    "IndexedSlices", "IndexedSlicesSpec", "InteractiveSession", "Module", "Operation", "OptimizerOptions",
    "OptionalSpec", "Print", "RaggedTensor", "RaggedTensorSpec", "RunMetadata", "RunOptions", "Session", "SparseTensor",
    "SparseTensorSpec", "SparseTensorValue", "Summary", "Tensor", "TensorArray", "TensorArraySpec", "TensorShape",
    "TensorSpec", "TypeSpec", "UnconnectedGradients", "VarLenFeature", "Variable", "VariableAggregation",
    "VariableScope", "VariableSynchronization", "__version__", "abs", "accumulate_n", "acos", "acosh", "add", "add_n",
    "add_to_collection", "add_to_collections", "all_variables", "angle", "app", "approx_top_k", "arg_max", "arg_min",
    "argmax", "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh", "assert_equal", "assert_greater",
    "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal", "assert_near", "assert_negative",
    "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable",
    "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type",
    "assign", "assign_add", "assign_sub", "atan", "atan2", "atanh", "autograph", "batch_to_space", "batch_to_space_nd",
    "betainc", "bfloat16", "bincount", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "case", "cast", "ceil", "check_numerics", "cholesky", "cholesky_solve",
    "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "colocate_with", "compat",
    "complex", "complex128", "complex64", "concat", "cond", "config", "confusion_matrix", "conj", "constant",
    "constant_initializer", "control_dependencies", "conv", "conv2d_backprop_filter_v2", "conv2d_backprop_input_v2",
    "convert_to_tensor", "convert_to_tensor_or_sparse_tensor", "cos", "cosh", "count_nonzero", "cross", "cumprod",
    "cumsum", "custom_gradient", "data", "debugging", "decode_base64", "decode_compressed", "decode_csv",
    "decode_json_example", "decode_raw", "depth_to_space", "device", "diag", "diag_part", "digamma",
    "dimension_at_index", "dimension_value", "disable_control_flow_v2", "disable_eager_execution",
    "disable_resource_variables", "disable_tensor_equality", "disable_v2_behavior", "disable_v2_tensorshape",
    "distribute", "div", "div_no_nan", "divide", "double", "dtypes", "dynamic_partition", "dynamic_stitch", "einsum",
    "enable_control_flow_v2", "enable_eager_execution", "enable_resource_variables", "enable_tensor_equality",
    "enable_v2_behavior", "enable_v2_tensorshape", "encode_base64", "ensure_shape", "equal", "erf", "erfc", "errors",
    "estimator", "executing_eagerly", "executing_eagerly_outside_functions", "exp", "expand_dims", "experimental",
    "expm1", "extract_image_patches", "extract_volume_patches", "eye", "feature_column", "fill", "fingerprint",
    "fixed_size_partitioner", "flags", "float16", "float32", "float64", "floor", "floor_div", "floordiv", "floormod",
    "foldl", "foldr", "function", "gather", "gather_nd", "get_collection", "get_collection_ref", "get_default_graph",
    "get_default_session", "get_local_variable", "get_logger", "get_static_value", "get_variable", "get_variable_scope",
    "gfile", "global_norm", "global_variables", "global_variables_initializer", "glorot_normal_initializer",
    "glorot_uniform_initializer", "grad_pass_through", "gradients", "greater", "greater_equal", "group",
    "guarantee_const", "half", "hessians", "histogram_fixed_width", "histogram_fixed_width_bins", "identity",
    "identity_n", "igamma", "igammac", "imag", "image", "init_scope", "initialize_all_tables",
    "initialize_all_variables", "initialize_local_variables", "initialize_variables", "initializers", "int16", "int32",
    "int64", "int8", "invert_permutation", "io", "is_finite", "is_inf", "is_nan", "is_non_decreasing",
    "is_numeric_tensor", "is_strictly_increasing", "is_symbolic_tensor", "is_tensor", "is_variable_initialized",
    "keras", "layers", "lbeta", "less", "less_equal", "lgamma", "lin_space", "linalg", "linspace", "local_variables",
    "local_variables_initializer", "log", "log1p", "log_sigmoid", "logging", "logical_and", "logical_not", "logical_or",
    "logical_xor", "lookup", "losses", "make_ndarray", "make_tensor_proto", "map_fn", "matching_files", "math",
    "matmul", "matrix_band_part", "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_inverse",
    "matrix_solve", "matrix_square_root", "matrix_transpose", "matrix_triangular_solve", "maximum", "meshgrid",
    "metrics", "min_max_variable_partitioner", "minimum", "mod", "model_variables", "multinomial", "multiply",
    "name_scope", "negative", "nest", "newaxis", "nn", "no_op", "norm", "not_equal", "numpy_function", "one_hot",
    "ones", "ones_initializer", "ones_like", "orthogonal_initializer", "pad", "parallel_stack", "parse_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "placeholder", "placeholder_with_default",
    "polygamma", "pow", "print", "profiler", "py_func", "py_function", "python_io", "qr", "quantization", "ragged",
    "random", "random_crop", "random_gamma", "random_index_shuffle", "random_normal", "random_normal_initializer",
    "random_poisson", "random_shuffle", "random_uniform", "random_uniform_initializer", "range", "rank", "read_file",
    "real", "realdiv", "reciprocal", "recompute_grad", "reduce_all", "reduce_any", "reduce_join", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "regex_replace",
    "register_tensor_conversion_function", "repeat", "report_uninitialized_variables",
    "required_space_to_batch_paddings", "reset_default_graph", "reshape", "resource_variables_enabled", "reverse",
    "reverse_sequence", "reverse_v2", "rint", "roll", "round", "rsqrt", "saturate_cast", "saved_model", "scalar_mul",
    "scan", "scatter_nd", "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "self_adjoint_eig", "sequence_mask", "serialize_tensor", "set_random_seed", "shape", "shape_n", "sigmoid", "sign",
    "signal", "sin", "sinh", "size", "slice", "sort", "space_to_batch", "space_to_batch_nd", "space_to_depth", "sparse",
    "sparse_add", "sparse_concat", "sparse_fill_empty_rows", "sparse_mask", "sparse_matmul", "sparse_maximum",
    "sparse_merge", "sparse_minimum", "sparse_reduce_max", "sparse_reduce_max_sparse", "sparse_reduce_sum",
    "sparse_reduce_sum_sparse", "sparse_reorder", "sparse_reset_shape", "sparse_reshape", "sparse_retain",
    "sparse_segment_mean", "sparse_segment_sqrt_n", "sparse_segment_sum", "sparse_slice", "sparse_softmax",
    "sparse_split", "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense", "sparse_to_indicator",
    "sparse_transpose", "split", "sqrt", "square", "squared_difference", "squeeze", "stack", "stop_gradient",
    "strided_slice", "string", "string_join", "string_split", "string_strip", "string_to_hash_bucket",
    "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number", "strings", "substr", "subtract",
    "summary", "svd", "switch_case", "sysconfig", "tables_initializer", "tan", "tanh", "tensor_scatter_add",
    "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update", "tensor_scatter_sub", "tensor_scatter_update", "tensordot", "test", "tile", "timestamp",
    "to_bfloat16", "to_double", "to_float", "to_int32", "to_int64", "tpu", "trace", "train", "trainable_variables",
    "transpose", "truediv", "truncated_normal", "truncated_normal_initializer", "truncatediv", "truncatemod", "tuple",
    "type_spec_from_value", "types", "uint16", "uint32", "uint64", "uint8", "uniform_unit_scaling_initializer",
    "unique", "unique_with_counts", "unravel_index", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack",
    "variable_axis_size_partitioner", "variable_creator_scope", "variable_scope", "variables_initializer",
    "variance_scaling_initializer", "vectorized_map", "verify_tensor_all_finite", "version", "where", "where_v2",
    "while_loop", "write_file", "zeros", "zeros_initializer", "zeros_like", "zeta"
]  # fmt: skip
