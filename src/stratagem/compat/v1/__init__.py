"""tf.compat.v1."""

from typing import Any

from stratagem.cluster import ConfigProto as ConfigProto
from stratagem.compat.v1 import data as data
from stratagem.compat.v1 import estimator as estimator
from stratagem.ops import not_provided
from stratagem.values import fixed_size_partitioner as fixed_size_partitioner
from stratagem.values import min_max_variable_partitioner as min_max_variable_partitioner
from stratagem.values import variable_axis_size_partitioner as variable_axis_size_partitioner


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1", name)
