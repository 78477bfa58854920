"""tf.distribute.experimental."""

from typing import Any

from stratagem._checkpoints import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from stratagem._checkpoints import TerminationConfig as TerminationConfig
from stratagem._data import ValueContext as ValueContext
from stratagem._ops import not_provided
from stratagem.distribute import coordinator as coordinator
from stratagem.distribute.experimental import partitioners as partitioners
from stratagem.strategy import CommunicationImplementation as CommunicationImplementation
from stratagem.strategy import CommunicationOptions as CommunicationOptions
from stratagem.strategy import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from stratagem.strategy import ParameterServerStrategy as ParameterServerStrategy

CollectiveCommunication = CommunicationImplementation
CollectiveHints = CommunicationOptions


def __getattr__(name: str) -> Any:
    raise not_provided("distribute.experimental", name)
