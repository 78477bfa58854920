# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

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
from stratagem._checkpoints import new_checkpoint_reader as NewCheckpointReader
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
from stratagem._tf1.graph.train import AdadeltaOptimizer as AdadeltaOptimizer
from stratagem._tf1.graph.train import AdagradOptimizer as AdagradOptimizer
from stratagem._tf1.graph.train import AdamOptimizer as AdamOptimizer
from stratagem._tf1.graph.train import ExponentialMovingAverage as ExponentialMovingAverage
from stratagem._tf1.graph.train import FtrlOptimizer as FtrlOptimizer
from stratagem._tf1.graph.train import GradientDescentOptimizer as GradientDescentOptimizer
from stratagem._tf1.graph.train import MomentumOptimizer as MomentumOptimizer
from stratagem._tf1.graph.train import Optimizer as Optimizer
from stratagem._tf1.graph.train import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from stratagem._tf1.graph.train import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from stratagem._tf1.graph.train import RMSPropOptimizer as RMSPropOptimizer
from stratagem._tf1.graph.train import cosine_decay as cosine_decay
from stratagem._tf1.graph.train import cosine_decay_restarts as cosine_decay_restarts
from stratagem._tf1.graph.train import exponential_decay as exponential_decay
from stratagem._tf1.graph.train import inverse_time_decay as inverse_time_decay
from stratagem._tf1.graph.train import linear_cosine_decay as linear_cosine_decay
from stratagem._tf1.graph.train import natural_exp_decay as natural_exp_decay
from stratagem._tf1.graph.train import piecewise_constant as piecewise_constant
from stratagem._tf1.graph.train import piecewise_constant as piecewise_constant_decay
from stratagem._tf1.graph.train import polynomial_decay as polynomial_decay
from stratagem._tf1.sessions import ChiefSessionCreator as ChiefSessionCreator
from stratagem._tf1.sessions import MonitoredSession as MonitoredSession
from stratagem._tf1.sessions import MonitoredSession as SingularMonitoredSession
from stratagem._tf1.sessions import Saver as Saver
from stratagem._tf1.sessions import monitored_training_session as MonitoredTrainingSession
from stratagem._tf1.sessions import replica_device_setter as replica_device_setter
from stratagem.train import experimental as experimental

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "BytesList", "Checkpoint", "CheckpointManager",
    "CheckpointOptions", "CheckpointSaverHook", "CheckpointSaverListener", "ChiefSessionCreator", "ClusterSpec",
    "Coordinator", "Example", "ExponentialMovingAverage", "Feature", "FeatureList", "FeatureLists", "Features",
    "FeedFnHook", "FinalOpsHook", "FloatList", "FtrlOptimizer", "GlobalStepWaiterHook", "GradientDescentOptimizer",
    "Int64List", "LoggingTensorHook", "MomentumOptimizer", "MonitoredSession", "MonitoredTrainingSession",
    "NanLossDuringTrainingError", "NanTensorHook", "NewCheckpointReader", "Optimizer", "ProfilerHook",
    "ProximalAdagradOptimizer", "ProximalGradientDescentOptimizer", "RMSPropOptimizer", "Saver", "Scaffold",
    "SecondOrStepTimer", "SequenceExample", "Server", "SessionRunArgs", "SessionRunContext", "SessionRunHook",
    "SessionRunValues", "SingularMonitoredSession", "StepCounterHook", "StopAtStepHook", "SummarySaverHook",
    "VocabInfo", "assert_global_step", "checkpoints_iterator", "cosine_decay", "cosine_decay_restarts",
    "create_global_step", "experimental", "exponential_decay", "get_checkpoint_state", "get_global_step",
    "get_or_create_global_step", "init_from_checkpoint", "inverse_time_decay", "latest_checkpoint",
    "linear_cosine_decay", "list_variables", "load_checkpoint", "load_variable", "natural_exp_decay",
    "piecewise_constant", "piecewise_constant_decay", "polynomial_decay", "replica_device_setter"
]  # fmt: skip
