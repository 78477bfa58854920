"""tf.compat.v1."""

from typing import Any

from stratagem._cluster import ConfigProto as ConfigProto
from stratagem._core.values import fixed_size_partitioner as fixed_size_partitioner
from stratagem._core.values import min_max_variable_partitioner as min_max_variable_partitioner
from stratagem._core.values import variable_axis_size_partitioner as variable_axis_size_partitioner
from stratagem.compat.v1 import app as app
from stratagem.compat.v1 import data as data
from stratagem.compat.v1 import estimator as estimator
from stratagem.compat.v1 import flags as flags
from stratagem.compat.v1 import gfile as gfile
from stratagem.compat.v1 import image as image
from stratagem.compat.v1 import initializers as initializers
from stratagem.compat.v1 import layers as layers
from stratagem.compat.v1 import logging as logging
from stratagem.compat.v1 import losses as losses
from stratagem.compat.v1 import math as math
from stratagem.compat.v1 import metrics as metrics
from stratagem.compat.v1 import nn as nn
from stratagem.compat.v1 import random as random
from stratagem.compat.v1 import summary as summary
from stratagem.compat.v1 import train as train
from stratagem.compat.v1._names import same
from stratagem.graph import AUTO_REUSE as AUTO_REUSE
from stratagem.graph import Constant as constant_initializer  # noqa: F401
from stratagem.graph import GlorotNormal as glorot_normal_initializer  # noqa: F401
from stratagem.graph import GlorotUniform as glorot_uniform_initializer  # noqa: F401
from stratagem.graph import GraphKeys as GraphKeys
from stratagem.graph import Ones as ones_initializer  # noqa: F401
from stratagem.graph import Operation as Operation
from stratagem.graph import Orthogonal as orthogonal_initializer  # noqa: F401
from stratagem.graph import RandomNormal as random_normal_initializer  # noqa: F401
from stratagem.graph import RandomUniform as random_uniform_initializer  # noqa: F401
from stratagem.graph import TruncatedNormal as truncated_normal_initializer  # noqa: F401
from stratagem.graph import VariableScope as VariableScope
from stratagem.graph import VarianceScaling as variance_scaling_initializer  # noqa: F401
from stratagem.graph import Zeros as zeros_initializer  # noqa: F401
from stratagem.graph import add_to_collection as add_to_collection
from stratagem.graph import add_to_collections as add_to_collections
from stratagem.graph import assign as assign
from stratagem.graph import assign_add as assign_add
from stratagem.graph import assign_sub as assign_sub
from stratagem.graph import control_dependencies as control_dependencies
from stratagem.graph import device as device
from stratagem.graph import disable_control_flow_v2 as disable_control_flow_v2
from stratagem.graph import disable_eager_execution as disable_eager_execution
from stratagem.graph import disable_resource_variables as disable_resource_variables
from stratagem.graph import disable_tensor_equality as disable_tensor_equality
from stratagem.graph import disable_v2_behavior as disable_v2_behavior
from stratagem.graph import disable_v2_tensorshape as disable_v2_tensorshape
from stratagem.graph import enable_control_flow_v2 as enable_control_flow_v2
from stratagem.graph import enable_eager_execution as enable_eager_execution
from stratagem.graph import enable_resource_variables as enable_resource_variables
from stratagem.graph import enable_tensor_equality as enable_tensor_equality
from stratagem.graph import enable_v2_behavior as enable_v2_behavior
from stratagem.graph import enable_v2_tensorshape as enable_v2_tensorshape
from stratagem.graph import executing_eagerly as executing_eagerly
from stratagem.graph import executing_eagerly as executing_eagerly_outside_functions  # noqa: F401
from stratagem.graph import get_collection as get_collection
from stratagem.graph import get_collection_ref as get_collection_ref
from stratagem.graph import get_variable as get_variable
from stratagem.graph import get_variable_scope as get_variable_scope
from stratagem.graph import global_variables as global_variables
from stratagem.graph import group as group
from stratagem.graph import local_variables as local_variables
from stratagem.graph import model_variables as model_variables
from stratagem.graph import name_scope as name_scope
from stratagem.graph import no_op as no_op
from stratagem.graph import resource_variables_enabled as resource_variables_enabled
from stratagem.graph import trainable_variables as trainable_variables
from stratagem.graph import variable as Variable  # noqa: F401
from stratagem.graph import variable_scope as variable_scope
from stratagem.graph.functions import argmax as argmax
from stratagem.graph.functions import argmin as argmin
from stratagem.graph.functions import boolean_mask as boolean_mask
from stratagem.graph.functions import clip_by_average_norm as clip_by_average_norm
from stratagem.graph.functions import cond as cond
from stratagem.graph.functions import confusion_matrix as confusion_matrix
from stratagem.graph.functions import convert_to_tensor as convert_to_tensor
from stratagem.graph.functions import count_nonzero as count_nonzero
from stratagem.graph.functions import div as div
from stratagem.graph.functions import expand_dims as expand_dims
from stratagem.graph.functions import gather as gather
from stratagem.graph.functions import gather_nd as gather_nd
from stratagem.graph.functions import multinomial as multinomial
from stratagem.graph.functions import norm as norm
from stratagem.graph.functions import normal as random_normal  # noqa: F401
from stratagem.graph.functions import ones_like as ones_like
from stratagem.graph.functions import pad as pad
from stratagem.graph.functions import poisson as random_poisson  # noqa: F401
from stratagem.graph.functions import print_tensor as Print  # noqa: F401
from stratagem.graph.functions import py_func as py_func
from stratagem.graph.functions import reduce_all as reduce_all
from stratagem.graph.functions import reduce_any as reduce_any
from stratagem.graph.functions import reduce_logsumexp as reduce_logsumexp
from stratagem.graph.functions import reduce_max as reduce_max
from stratagem.graph.functions import reduce_mean as reduce_mean
from stratagem.graph.functions import reduce_min as reduce_min
from stratagem.graph.functions import reduce_prod as reduce_prod
from stratagem.graph.functions import reduce_sum as reduce_sum
from stratagem.graph.functions import shape as shape
from stratagem.graph.functions import size as size
from stratagem.graph.functions import squeeze as squeeze
from stratagem.graph.functions import to_bfloat16 as to_bfloat16
from stratagem.graph.functions import to_double as to_double
from stratagem.graph.functions import to_float as to_float
from stratagem.graph.functions import to_int32 as to_int32
from stratagem.graph.functions import to_int64 as to_int64
from stratagem.graph.functions import transpose as transpose
from stratagem.graph.functions import truncated_normal as truncated_normal
from stratagem.graph.functions import tuple_of as tuple  # noqa: F401
from stratagem.graph.functions import uniform as random_uniform  # noqa: F401
from stratagem.graph.functions import where as where
from stratagem.graph.functions import while_loop as while_loop
from stratagem.graph.functions import zeros_like as zeros_like
from stratagem.graph.log import get_logger as get_logger
from stratagem.graph.train import gradients as gradients

newaxis = None


def __getattr__(name: str) -> Any:
    return same("", name)
