"""tf.distribute.cluster_resolver, and three resolvers that TensorFlow lacks: for torchrun, for Open MPI, and for Ray."""

from typing import Any as _Any

from stratagem._cluster import ClusterResolver as ClusterResolver
from stratagem._cluster import OpenMPIClusterResolver as OpenMPIClusterResolver
from stratagem._cluster import RayClusterResolver as RayClusterResolver
from stratagem._cluster import SimpleClusterResolver as SimpleClusterResolver
from stratagem._cluster import SlurmClusterResolver as SlurmClusterResolver
from stratagem._cluster import TFConfigClusterResolver as TFConfigClusterResolver
from stratagem._cluster import TorchrunClusterResolver as TorchrunClusterResolver
from stratagem._cluster import TPUClusterResolver as TPUClusterResolver
from stratagem._cluster import UnionResolver as UnionResolver
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("distribute.cluster_resolver", name)
