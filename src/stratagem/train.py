"""`tf.train`: checkpoints, clusters, and examples as protobuf messages."""

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
from stratagem.checkpoint import Checkpoint as Checkpoint
from stratagem.checkpoint import CheckpointManager as CheckpointManager
from stratagem.checkpoint import checkpoints_iterator as checkpoints_iterator
from stratagem.checkpoint import get_checkpoint_state as get_checkpoint_state
from stratagem.checkpoint import latest_checkpoint as latest_checkpoint
from stratagem.checkpoint import list_variables as list_variables
from stratagem.checkpoint import load_checkpoint as load_checkpoint
from stratagem.checkpoint import load_variable as load_variable
