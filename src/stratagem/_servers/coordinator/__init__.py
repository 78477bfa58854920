"""The coordinator: schedules functions on the workers of a parameter-server job."""

from stratagem._servers.coordinator._coordinator import ClusterCoordinator as ClusterCoordinator
from stratagem._servers.coordinator._report import Report as Report
from stratagem._servers.coordinator._report import WorkerTimes as WorkerTimes
from stratagem._servers.coordinator._values import PerWorkerValues as PerWorkerValues
from stratagem._servers.coordinator._values import RemoteValue as RemoteValue
