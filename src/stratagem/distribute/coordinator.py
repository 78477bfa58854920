"""tf.distribute.coordinator."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._servers.coordinator import ClusterCoordinator as ClusterCoordinator
from stratagem._servers.coordinator import PerWorkerValues as PerWorkerValue  # noqa: F401
from stratagem._servers.coordinator import PerWorkerValues as PerWorkerValues
from stratagem._servers.coordinator import RemoteValue as RemoteValue
from stratagem._servers.coordinator import (
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)


def __getattr__(name: str) -> _Any:
    raise _not_provided("distribute.coordinator", name)
