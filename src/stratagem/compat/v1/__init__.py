"""tf.compat.v1."""

from typing import Any as _Any

from stratagem._cluster import ConfigProto as ConfigProto
from stratagem._cluster import GPUOptions as GPUOptions
from stratagem._cluster import GraphOptions as GraphOptions
from stratagem._cluster import OptimizerOptions as OptimizerOptions
from stratagem._cluster import RunMetadata as RunMetadata
from stratagem._cluster import SessionRunOptions as RunOptions  # noqa: F401
from stratagem._core.step import executing_eagerly as executing_eagerly
from stratagem._core.step import executing_eagerly as executing_eagerly_outside_functions  # noqa: F401
from stratagem._core.step import init_scope as init_scope
from stratagem._core.values import Dimension as Dimension
from stratagem._core.values import dimension_at_index as dimension_at_index
from stratagem._core.values import dimension_value as dimension_value
from stratagem._core.values import fixed_size_partitioner as fixed_size_partitioner
from stratagem._core.values import min_max_variable_partitioner as min_max_variable_partitioner
from stratagem._core.values import variable_axis_size_partitioner as variable_axis_size_partitioner
from stratagem._devices import MutableDeviceSpec as DeviceSpec  # noqa: F401
from stratagem._tf1.graph import AUTO_REUSE as AUTO_REUSE
from stratagem._tf1.graph import Constant as constant_initializer  # noqa: F401
from stratagem._tf1.graph import GlorotNormal as glorot_normal_initializer  # noqa: F401
from stratagem._tf1.graph import GlorotUniform as glorot_uniform_initializer  # noqa: F401
from stratagem._tf1.graph import Graph as Graph
from stratagem._tf1.graph import GraphKeys as GraphKeys
from stratagem._tf1.graph import Ones as ones_initializer  # noqa: F401
from stratagem._tf1.graph import Operation as Operation
from stratagem._tf1.graph import Orthogonal as orthogonal_initializer  # noqa: F401
from stratagem._tf1.graph import RandomNormal as random_normal_initializer  # noqa: F401
from stratagem._tf1.graph import RandomUniform as random_uniform_initializer  # noqa: F401
from stratagem._tf1.graph import TruncatedNormal as truncated_normal_initializer  # noqa: F401
from stratagem._tf1.graph import UniformUnitScaling as uniform_unit_scaling_initializer  # noqa: F401
from stratagem._tf1.graph import VariableScope as VariableScope
from stratagem._tf1.graph import VarianceScaling as variance_scaling_initializer  # noqa: F401
from stratagem._tf1.graph import Zeros as zeros_initializer  # noqa: F401
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
from stratagem._tf1.graph import variable as Variable  # noqa: F401
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
from stratagem._tf1.graph.functions.arrays import print_tensor as Print  # noqa: F401
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
from stratagem._tf1.graph.functions.arrays import tuple_of as tuple  # noqa: F401
from stratagem._tf1.graph.functions.arrays import where as where
from stratagem._tf1.graph.functions.arrays import zeros_like as zeros_like
from stratagem._tf1.graph.functions.blocks import batch_to_space as batch_to_space
from stratagem._tf1.graph.functions.blocks import reverse_sequence as reverse_sequence
from stratagem._tf1.graph.functions.blocks import space_to_batch as space_to_batch
from stratagem._tf1.graph.functions.flow import cond as cond
from stratagem._tf1.graph.functions.flow import while_loop as while_loop
from stratagem._tf1.graph.functions.images import extract_image_patches as extract_image_patches
from stratagem._tf1.graph.functions.random import multinomial as multinomial
from stratagem._tf1.graph.functions.random import normal as random_normal  # noqa: F401
from stratagem._tf1.graph.functions.random import poisson as random_poisson  # noqa: F401
from stratagem._tf1.graph.functions.random import truncated_normal as truncated_normal
from stratagem._tf1.graph.functions.random import uniform as random_uniform  # noqa: F401
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
from stratagem._tf1.graph.functions.sparse import add as sparse_add  # noqa: F401
from stratagem._tf1.graph.functions.sparse import concat as sparse_concat  # noqa: F401
from stratagem._tf1.graph.functions.sparse import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from stratagem._tf1.graph.functions.sparse import matmul_of_zeros as sparse_matmul  # noqa: F401
from stratagem._tf1.graph.functions.sparse import merge as sparse_merge  # noqa: F401
from stratagem._tf1.graph.functions.sparse import reduce_max as sparse_reduce_max  # noqa: F401
from stratagem._tf1.graph.functions.sparse import reduce_max_sparse as sparse_reduce_max_sparse  # noqa: F401
from stratagem._tf1.graph.functions.sparse import reduce_sum as sparse_reduce_sum  # noqa: F401
from stratagem._tf1.graph.functions.sparse import reduce_sum_sparse as sparse_reduce_sum_sparse  # noqa: F401
from stratagem._tf1.graph.functions.sparse import segment_mean as sparse_segment_mean  # noqa: F401
from stratagem._tf1.graph.functions.sparse import segment_sqrt_n as sparse_segment_sqrt_n  # noqa: F401
from stratagem._tf1.graph.functions.sparse import segment_sum as sparse_segment_sum  # noqa: F401
from stratagem._tf1.graph.functions.sparse import split as sparse_split  # noqa: F401
from stratagem._tf1.graph.functions.sparse import to_dense_of_parts as sparse_to_dense  # noqa: F401
from stratagem._tf1.graph.functions.splits import string_split as string_split
from stratagem._tf1.graph.functions.tables import tables_initializer as initialize_all_tables  # noqa: F401
from stratagem._tf1.graph.functions.tables import tables_initializer as tables_initializer
from stratagem._tf1.graph.log import get_logger as get_logger
from stratagem._tf1.sessions import InteractiveSession as InteractiveSession
from stratagem._tf1.sessions import Session as Session
from stratagem._tf1.sessions import Summary as Summary
from stratagem._tf1.sessions import get_default_session as get_default_session
from stratagem._tf1.sessions import global_variables_initializer as global_variables_initializer
from stratagem._tf1.sessions import global_variables_initializer as initialize_all_variables  # noqa: F401
from stratagem._tf1.sessions import is_variable_initialized as is_variable_initialized
from stratagem._tf1.sessions import local_variables_initializer as initialize_local_variables  # noqa: F401
from stratagem._tf1.sessions import local_variables_initializer as local_variables_initializer
from stratagem._tf1.sessions import report_uninitialized_variables as report_uninitialized_variables
from stratagem._tf1.sessions import variables_initializer as initialize_variables  # noqa: F401
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
from stratagem.compat.v1._names import public_name as _public_name

newaxis = None
__version__ = "2.15.1"


def __getattr__(name: str) -> _Any:
    return _public_name("", name)
