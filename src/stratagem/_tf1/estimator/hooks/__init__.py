"""Hooks, which run on the host before and after every step."""

from stratagem._tf1.estimator.hooks._checkpoint_saver import CheckpointSaverHook as CheckpointSaverHook
from stratagem._tf1.estimator.hooks._logging_tensor import LoggingTensorHook as LoggingTensorHook
from stratagem._tf1.estimator.hooks._protocol import OriginalArgs as OriginalArgs
from stratagem._tf1.estimator.hooks._protocol import SessionRunArgs as SessionRunArgs
from stratagem._tf1.estimator.hooks._protocol import SessionRunContext as SessionRunContext
from stratagem._tf1.estimator.hooks._protocol import SessionRunValues as SessionRunValues
from stratagem._tf1.estimator.hooks._step_counter import StepCounterHook as StepCounterHook
from stratagem._tf1.estimator.hooks._stopping import NanTensorHook as NanTensorHook
from stratagem._tf1.estimator.hooks._stopping import StopAfterBatchesHook as StopAfterBatchesHook
from stratagem._tf1.estimator.hooks._stopping import StopAtStepHook as StopAtStepHook
from stratagem._tf1.estimator.hooks._summaries import SummarySaverHook as SummarySaverHook
from stratagem._tf1.estimator.hooks._timer import SecondOrStepTimer as SecondOrStepTimer
