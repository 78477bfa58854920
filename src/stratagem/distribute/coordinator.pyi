# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._servers.coordinator import ClusterCoordinator as ClusterCoordinator
from stratagem._servers.coordinator import PerWorkerValues as PerWorkerValue
from stratagem._servers.coordinator import PerWorkerValues as PerWorkerValues
from stratagem._servers.coordinator import RemoteValue as RemoteValue
from stratagem._servers.coordinator import (
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)

__all__ = [
    "ClusterCoordinator", "PerWorkerValue", "PerWorkerValues", "RemoteValue", "experimental_get_current_worker_index"
]  # fmt: skip
