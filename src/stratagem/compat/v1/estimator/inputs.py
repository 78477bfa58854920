"""tf.compat.v1.estimator.inputs: input functions of arrays and of pandas' tables."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._tf1.estimator.inputs import numpy_input_fn as numpy_input_fn
from stratagem._tf1.estimator.inputs import pandas_input_fn as pandas_input_fn

__getattr__ = _not_provided_in("compat.v1.estimator.inputs")
