# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._cluster import ClusterResolver as ClusterResolver
from stratagem._cluster import OpenMPIClusterResolver as OpenMPIClusterResolver
from stratagem._cluster import RayClusterResolver as RayClusterResolver
from stratagem._cluster import SimpleClusterResolver as SimpleClusterResolver
from stratagem._cluster import SlurmClusterResolver as SlurmClusterResolver
from stratagem._cluster import TFConfigClusterResolver as TFConfigClusterResolver
from stratagem._cluster import TorchrunClusterResolver as TorchrunClusterResolver
from stratagem._cluster import TPUClusterResolver as TPUClusterResolver
from stratagem._cluster import UnionResolver as UnionResolver

__all__ = [
    "ClusterResolver", "OpenMPIClusterResolver", "RayClusterResolver", "SimpleClusterResolver", "SlurmClusterResolver",
    "TFConfigClusterResolver", "TPUClusterResolver", "TorchrunClusterResolver", "UnionResolver"
]  # fmt: skip
