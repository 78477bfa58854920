"""tf.distribute.experimental."""

from typing import Any as _Any

from stratagem._checkpoints import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from stratagem._checkpoints import PreemptionWatcher as PreemptionWatcher
from stratagem._checkpoints import TerminationConfig as TerminationConfig
from stratagem._data import ValueContext as ValueContext
from stratagem._ops import not_provided as _not_provided
from stratagem._servers.strategy import ParameterServerStrategy as ParameterServerStrategy
from stratagem._strategies import CentralStorageStrategy as CentralStorageStrategy
from stratagem._strategies import CommunicationImplementation as CommunicationImplementation
from stratagem._strategies import CommunicationOptions as CommunicationOptions
from stratagem._strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem._strategies import TPUStrategy as TPUStrategy
from stratagem.distribute import coordinator as coordinator
from stratagem.distribute.experimental import partitioners as partitioners

CollectiveCommunication = CommunicationImplementation
CollectiveHints = CommunicationOptions


def __getattr__(name: str) -> _Any:
    raise _not_provided("distribute.experimental", name)
