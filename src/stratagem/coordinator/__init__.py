"""Hands out work to the workers of a parameter-server job."""

from stratagem.coordinator._coordinator import ClusterCoordinator as ClusterCoordinator
from stratagem.coordinator._values import PerWorkerValues as PerWorkerValues
from stratagem.coordinator._values import RemoteValue as RemoteValue
