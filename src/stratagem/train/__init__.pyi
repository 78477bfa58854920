# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._base.threads import Coordinator as Coordinator
from stratagem._checkpoints import Checkpoint as Checkpoint
from stratagem._checkpoints import CheckpointManager as CheckpointManager
from stratagem._checkpoints import CheckpointOptions as CheckpointOptions
from stratagem._checkpoints import CheckpointView as CheckpointView
from stratagem._checkpoints import TrackableView as TrackableView
from stratagem._checkpoints import checkpoints_iterator as checkpoints_iterator
from stratagem._checkpoints import get_checkpoint_state as get_checkpoint_state
from stratagem._checkpoints import latest_checkpoint as latest_checkpoint
from stratagem._checkpoints import list_variables as list_variables
from stratagem._checkpoints import load_checkpoint as load_checkpoint
from stratagem._checkpoints import load_variable as load_variable
from stratagem._cluster import ClusterSpec as ClusterSpec
from stratagem._data.files import BytesList as BytesList
from stratagem._data.files import Example as Example
from stratagem._data.files import Feature as Feature
from stratagem._data.files import FeatureList as FeatureList
from stratagem._data.files import FeatureLists as FeatureLists
from stratagem._data.files import Features as Features
from stratagem._data.files import FloatList as FloatList
from stratagem._data.files import Int64List as Int64List
from stratagem._data.files import SequenceExample as SequenceExample
from stratagem._tf1.graph.train import ExponentialMovingAverage as ExponentialMovingAverage
from stratagem.train import experimental as experimental

__all__ = [
    "BytesList", "Checkpoint", "CheckpointManager", "CheckpointOptions", "CheckpointView", "ClusterSpec", "Coordinator",
    "Example", "ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList",
    "Int64List", "SequenceExample", "TrackableView", "checkpoints_iterator", "experimental", "get_checkpoint_state",
    "latest_checkpoint", "list_variables", "load_checkpoint", "load_variable"
]  # fmt: skip
