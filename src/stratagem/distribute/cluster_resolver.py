"""tf.distribute.cluster_resolver, and three resolvers that TensorFlow lacks: for torchrun, for Open MPI, and for Ray."""

from typing import Any

from stratagem.cluster import ClusterResolver as ClusterResolver
from stratagem.cluster import OpenMPIClusterResolver as OpenMPIClusterResolver
from stratagem.cluster import RayClusterResolver as RayClusterResolver
from stratagem.cluster import SimpleClusterResolver as SimpleClusterResolver
from stratagem.cluster import SlurmClusterResolver as SlurmClusterResolver
from stratagem.cluster import TFConfigClusterResolver as TFConfigClusterResolver
from stratagem.cluster import TorchrunClusterResolver as TorchrunClusterResolver
from stratagem.cluster import UnionResolver as UnionResolver
from stratagem.ops import not_provided


def __getattr__(name: str) -> Any:
    raise not_provided("distribute.cluster_resolver", name)
