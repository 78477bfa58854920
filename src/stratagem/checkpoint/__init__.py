"""Saving and restoring: what is in a checkpoint, how it gets its names, and when it is complete."""

from stratagem.checkpoint._checkpoint import Checkpoint as Checkpoint
from stratagem.checkpoint._files import make_directories as make_directories
from stratagem.checkpoint._files import sync as sync
from stratagem.checkpoint._finite import not_finite as not_finite
from stratagem.checkpoint._finite import shown as shown
from stratagem.checkpoint._index import CheckpointState as CheckpointState
from stratagem.checkpoint._index import get_checkpoint_state as get_checkpoint_state
from stratagem.checkpoint._inspect import Report as Report
from stratagem.checkpoint._inspect import report_on as report_on
from stratagem.checkpoint._latest import checkpoints_iterator as checkpoints_iterator
from stratagem.checkpoint._latest import is_good as is_good
from stratagem.checkpoint._latest import latest_checkpoint as latest_checkpoint
from stratagem.checkpoint._manager import CheckpointManager as CheckpointManager
from stratagem.checkpoint._named import NamedCheckpoint as NamedCheckpoint
from stratagem.checkpoint._preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from stratagem.checkpoint._preemption import TerminationConfig as TerminationConfig
from stratagem.checkpoint._reader import CheckpointReader as CheckpointReader
from stratagem.checkpoint._reader import list_variables as list_variables
from stratagem.checkpoint._reader import load_checkpoint as load_checkpoint
from stratagem.checkpoint._reader import load_variable as load_variable
from stratagem.checkpoint._status import LoadStatus as LoadStatus
