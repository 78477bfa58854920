# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._checkpoints import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from stratagem._checkpoints import PreemptionWatcher as PreemptionWatcher
from stratagem._checkpoints import TerminationConfig as TerminationConfig
from stratagem._data import ValueContext as ValueContext
from stratagem._servers.strategy import ParameterServerStrategy as ParameterServerStrategy
from stratagem._strategies import CentralStorageStrategy as CentralStorageStrategy
from stratagem._strategies import CommunicationImplementation as CollectiveCommunication
from stratagem._strategies import CommunicationImplementation as CommunicationImplementation
from stratagem._strategies import CommunicationOptions as CollectiveHints
from stratagem._strategies import CommunicationOptions as CommunicationOptions
from stratagem._strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem._strategies import TPUStrategy as TPUStrategy
from stratagem.distribute import coordinator as coordinator
from stratagem.distribute.experimental import partitioners as partitioners

__all__ = [
    "CentralStorageStrategy", "CollectiveCommunication", "CollectiveHints", "CommunicationImplementation",
    "CommunicationOptions", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "PreemptionCheckpointHandler",
    "PreemptionWatcher", "TPUStrategy", "TerminationConfig", "ValueContext", "coordinator", "partitioners"
]  # fmt: skip
