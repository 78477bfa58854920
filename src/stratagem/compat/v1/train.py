"""tf.compat.v1.train."""

from typing import Any as _Any

from stratagem._base.threads import Coordinator as Coordinator
from stratagem._checkpoints import Checkpoint as Checkpoint
from stratagem._checkpoints import CheckpointManager as CheckpointManager
from stratagem._checkpoints import CheckpointOptions as CheckpointOptions
from stratagem._checkpoints import checkpoints_iterator as checkpoints_iterator
from stratagem._checkpoints import get_checkpoint_state as get_checkpoint_state
from stratagem._checkpoints import latest_checkpoint as latest_checkpoint
from stratagem._checkpoints import list_variables as list_variables
from stratagem._checkpoints import load_checkpoint as load_checkpoint
from stratagem._checkpoints import load_variable as load_variable
from stratagem._checkpoints import new_checkpoint_reader as NewCheckpointReader  # noqa: F401
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
from stratagem._servers.remote import Server as Server
from stratagem._tf1.estimator import CheckpointSaverHook as CheckpointSaverHook
from stratagem._tf1.estimator import CheckpointSaverListener as CheckpointSaverListener
from stratagem._tf1.estimator import FeedFnHook as FeedFnHook
from stratagem._tf1.estimator import FinalOpsHook as FinalOpsHook
from stratagem._tf1.estimator import GlobalStepWaiterHook as GlobalStepWaiterHook
from stratagem._tf1.estimator import LoggingTensorHook as LoggingTensorHook
from stratagem._tf1.estimator import NanLossDuringTrainingError as NanLossDuringTrainingError
from stratagem._tf1.estimator import NanTensorHook as NanTensorHook
from stratagem._tf1.estimator import ProfilerHook as ProfilerHook
from stratagem._tf1.estimator import Scaffold as Scaffold
from stratagem._tf1.estimator import SecondOrStepTimer as SecondOrStepTimer
from stratagem._tf1.estimator import SessionRunArgs as SessionRunArgs
from stratagem._tf1.estimator import SessionRunContext as SessionRunContext
from stratagem._tf1.estimator import SessionRunHook as SessionRunHook
from stratagem._tf1.estimator import SessionRunValues as SessionRunValues
from stratagem._tf1.estimator import StepCounterHook as StepCounterHook
from stratagem._tf1.estimator import StopAtStepHook as StopAtStepHook
from stratagem._tf1.estimator import SummarySaverHook as SummarySaverHook
from stratagem._tf1.estimator import VocabInfo as VocabInfo
from stratagem._tf1.graph import assert_global_step as assert_global_step
from stratagem._tf1.graph import create_global_step as create_global_step
from stratagem._tf1.graph import get_global_step as get_global_step
from stratagem._tf1.graph import get_or_create_global_step as get_or_create_global_step
from stratagem._tf1.graph import init_from_checkpoint as init_from_checkpoint
from stratagem._tf1.graph.train import *
from stratagem._tf1.graph.train import piecewise_constant as piecewise_constant_decay  # noqa: F401
from stratagem._tf1.sessions import ChiefSessionCreator as ChiefSessionCreator
from stratagem._tf1.sessions import MonitoredSession as MonitoredSession
from stratagem._tf1.sessions import MonitoredSession as SingularMonitoredSession  # noqa: F401
from stratagem._tf1.sessions import Saver as Saver
from stratagem._tf1.sessions import monitored_training_session as MonitoredTrainingSession  # noqa: F401
from stratagem._tf1.sessions import replica_device_setter as replica_device_setter
from stratagem.compat.v1._names import public_name as _public_name
from stratagem.train import experimental as experimental


def __getattr__(name: str) -> _Any:
    return _public_name("train", name)
