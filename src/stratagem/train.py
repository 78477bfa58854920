"""`tf.train`: checkpoints."""

from stratagem.checkpoint import Checkpoint as Checkpoint
from stratagem.checkpoint import CheckpointManager as CheckpointManager
from stratagem.checkpoint import checkpoints_iterator as checkpoints_iterator
from stratagem.checkpoint import get_checkpoint_state as get_checkpoint_state
from stratagem.checkpoint import latest_checkpoint as latest_checkpoint
from stratagem.checkpoint import list_variables as list_variables
from stratagem.checkpoint import load_checkpoint as load_checkpoint
