"""Strategies whose replicas step together, and the base class of all strategies.

In: devices by TensorFlow's names, and the cluster that a process is in.
Out: `MirroredStrategy`, `MultiWorkerMirroredStrategy`, `OneDeviceStrategy`, the default strategy; `AbstractStrategy`.
Never: computes itself: a strategy chooses a mesh, and everything else is written once for any mesh.
"""

from stratagem._strategies._abstract import AbstractStrategy as AbstractStrategy
from stratagem._strategies._central_storage import CentralStorageStrategy as CentralStorageStrategy
from stratagem._strategies._communication import CommunicationOptions as CommunicationOptions
from stratagem._strategies._current import get_replica_context as get_replica_context
from stratagem._strategies._current import get_strategy as get_strategy
from stratagem._strategies._mirrored import MirroredStrategy as MirroredStrategy
from stratagem._strategies._multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem._strategies._one_device import OneDeviceStrategy as OneDeviceStrategy
from stratagem._strategies._tpu import TPUStrategy as TPUStrategy
