"""Keras' fit, evaluate and predict, based on the steps of a strategy.

In: models, the user's data, callbacks.
Out: Keras' own methods on them, with its history, metrics and callbacks; interrupted fits that can be resumed.
Never: calls Keras' own trainer.
"""

from stratagem._training import _parameter_server as _parameter_server
from stratagem._training._attach import attach_paths as attach_paths
from stratagem._training._attach import attach_trainer as attach_trainer
from stratagem._training._data_arguments import DataArguments as DataArguments
from stratagem._training._feed import open_feed as open_feed
from stratagem._training._moving_averages import MovingAverages as MovingAverages
from stratagem._training._progress import ProgressDisplay as ProgressDisplay
from stratagem._training._replica_step import StepKind as StepKind
from stratagem._training._replica_step import Steps as Steps
from stratagem._training._runner import StartedSteps as StartedSteps
from stratagem._training._runner import StepRunner as StepRunner
from stratagem._training._runner import open_runner as open_runner
from stratagem._training._runner import run_batch as run_batch
from stratagem._training._runner import run_steps as run_steps
from stratagem._training.callbacks import attach_callbacks as attach_callbacks
from stratagem._training.callbacks import attach_histories as attach_histories
from stratagem._training.saving import attach_optimizers_of_keras_two as attach_optimizers_of_keras_two
from stratagem._training.saving import attach_saving as attach_saving
