"""tf.compat.v1.train."""

from typing import Any

from stratagem._checkpoints import Checkpoint as Checkpoint
from stratagem._checkpoints import CheckpointManager as CheckpointManager
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
from stratagem.compat.v1._names import same
from stratagem.estimator import CheckpointSaverHook as CheckpointSaverHook
from stratagem.estimator import CheckpointSaverListener as CheckpointSaverListener
from stratagem.estimator import FeedFnHook as FeedFnHook
from stratagem.estimator import FinalOpsHook as FinalOpsHook
from stratagem.estimator import GlobalStepWaiterHook as GlobalStepWaiterHook
from stratagem.estimator import LoggingTensorHook as LoggingTensorHook
from stratagem.estimator import NanLossDuringTrainingError as NanLossDuringTrainingError
from stratagem.estimator import NanTensorHook as NanTensorHook
from stratagem.estimator import ProfilerHook as ProfilerHook
from stratagem.estimator import Scaffold as Scaffold
from stratagem.estimator import SecondOrStepTimer as SecondOrStepTimer
from stratagem.estimator import SessionRunArgs as SessionRunArgs
from stratagem.estimator import SessionRunContext as SessionRunContext
from stratagem.estimator import SessionRunHook as SessionRunHook
from stratagem.estimator import SessionRunValues as SessionRunValues
from stratagem.estimator import StepCounterHook as StepCounterHook
from stratagem.estimator import StopAtStepHook as StopAtStepHook
from stratagem.estimator import SummarySaverHook as SummarySaverHook
from stratagem.graph import assert_global_step as assert_global_step
from stratagem.graph import create_global_step as create_global_step
from stratagem.graph import get_global_step as get_global_step
from stratagem.graph import get_or_create_global_step as get_or_create_global_step
from stratagem.graph.train import AdadeltaOptimizer as AdadeltaOptimizer
from stratagem.graph.train import AdagradOptimizer as AdagradOptimizer
from stratagem.graph.train import AdamOptimizer as AdamOptimizer
from stratagem.graph.train import ExponentialMovingAverage as ExponentialMovingAverage
from stratagem.graph.train import FtrlOptimizer as FtrlOptimizer
from stratagem.graph.train import GradientDescentOptimizer as GradientDescentOptimizer
from stratagem.graph.train import MomentumOptimizer as MomentumOptimizer
from stratagem.graph.train import Optimizer as Optimizer
from stratagem.graph.train import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from stratagem.graph.train import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from stratagem.graph.train import RMSPropOptimizer as RMSPropOptimizer
from stratagem.graph.train import cosine_decay as cosine_decay
from stratagem.graph.train import cosine_decay_restarts as cosine_decay_restarts
from stratagem.graph.train import exponential_decay as exponential_decay
from stratagem.graph.train import inverse_time_decay as inverse_time_decay
from stratagem.graph.train import linear_cosine_decay as linear_cosine_decay
from stratagem.graph.train import natural_exp_decay as natural_exp_decay
from stratagem.graph.train import piecewise_constant as piecewise_constant
from stratagem.graph.train import piecewise_constant as piecewise_constant_decay  # noqa: F401
from stratagem.graph.train import polynomial_decay as polynomial_decay


def __getattr__(name: str) -> Any:
    return same("train", name)
