"""Estimators of TensorFlow 1: a model_fn, traced like any step, is trained and evaluated, and makes predictions."""

from stratagem._tf1.estimator._add_metrics import add_metrics as add_metrics
from stratagem._tf1.estimator._call import argument_names as argument_names
from stratagem._tf1.estimator._call import call_with as call_with
from stratagem._tf1.estimator._class_names import ClassNames as ClassNames
from stratagem._tf1.estimator._class_names import class_names as class_names
from stratagem._tf1.estimator._config import RunConfig as RunConfig
from stratagem._tf1.estimator._estimator import Estimator as Estimator
from stratagem._tf1.estimator._events import EventFolders as EventFolders
from stratagem._tf1.estimator._exporters import BestExporter as BestExporter
from stratagem._tf1.estimator._exporters import FinalExporter as FinalExporter
from stratagem._tf1.estimator._exporters import LatestExporter as LatestExporter
from stratagem._tf1.estimator._keras import model_to_estimator as model_to_estimator
from stratagem._tf1.estimator._model_spec import EstimatorSpec as EstimatorSpec
from stratagem._tf1.estimator._model_spec import ModeKeys as ModeKeys
from stratagem._tf1.estimator._receivers import ServingInputReceiver as ServingInputReceiver
from stratagem._tf1.estimator._receivers import TensorServingInputReceiver as TensorServingInputReceiver
from stratagem._tf1.estimator._receivers import (
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
)
from stratagem._tf1.estimator._receivers import (
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)
from stratagem._tf1.estimator._receivers import (
    build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn,
)
from stratagem._tf1.estimator._scaffold import Scaffold as Scaffold
from stratagem._tf1.estimator._session_run_hook import CheckpointSaverListener as CheckpointSaverListener
from stratagem._tf1.estimator._session_run_hook import SessionRunHook as SessionRunHook
from stratagem._tf1.estimator._train_and_evaluate import train_and_evaluate as train_and_evaluate
from stratagem._tf1.estimator._train_eval_specs import EvalSpec as EvalSpec
from stratagem._tf1.estimator._train_eval_specs import Exporter as Exporter
from stratagem._tf1.estimator._train_eval_specs import TrainSpec as TrainSpec
from stratagem._tf1.estimator._vocabularies import VocabInfo as VocabInfo
from stratagem._tf1.estimator._warm_start import WarmStartSettings as WarmStartSettings
from stratagem._tf1.estimator.hooks import CheckpointSaverHook as CheckpointSaverHook
from stratagem._tf1.estimator.hooks import FeedFnHook as FeedFnHook
from stratagem._tf1.estimator.hooks import FinalOpsHook as FinalOpsHook
from stratagem._tf1.estimator.hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from stratagem._tf1.estimator.hooks import LoggingTensorHook as LoggingTensorHook
from stratagem._tf1.estimator.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from stratagem._tf1.estimator.hooks import NanTensorHook as NanTensorHook
from stratagem._tf1.estimator.hooks import ProfilerHook as ProfilerHook
from stratagem._tf1.estimator.hooks import SecondOrStepTimer as SecondOrStepTimer
from stratagem._tf1.estimator.hooks import SessionRunArgs as SessionRunArgs
from stratagem._tf1.estimator.hooks import SessionRunContext as SessionRunContext
from stratagem._tf1.estimator.hooks import SessionRunValues as SessionRunValues
from stratagem._tf1.estimator.hooks import StepCounterHook as StepCounterHook
from stratagem._tf1.estimator.hooks import StopAtStepHook as StopAtStepHook
from stratagem._tf1.estimator.hooks import SummarySaverHook as SummarySaverHook
