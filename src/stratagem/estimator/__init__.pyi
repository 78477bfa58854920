# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.canned import BaselineClassifier as BaselineClassifier
from stratagem._tf1.canned import BaselineEstimator as BaselineEstimator
from stratagem._tf1.canned import BaselineRegressor as BaselineRegressor
from stratagem._tf1.canned import BinaryClassHead as BinaryClassHead
from stratagem._tf1.canned import DNNClassifier as DNNClassifier
from stratagem._tf1.canned import DNNEstimator as DNNEstimator
from stratagem._tf1.canned import DNNLinearCombinedClassifier as DNNLinearCombinedClassifier
from stratagem._tf1.canned import DNNLinearCombinedEstimator as DNNLinearCombinedEstimator
from stratagem._tf1.canned import DNNLinearCombinedRegressor as DNNLinearCombinedRegressor
from stratagem._tf1.canned import DNNRegressor as DNNRegressor
from stratagem._tf1.canned import Head as Head
from stratagem._tf1.canned import LinearClassifier as LinearClassifier
from stratagem._tf1.canned import LinearEstimator as LinearEstimator
from stratagem._tf1.canned import LinearRegressor as LinearRegressor
from stratagem._tf1.canned import LogisticRegressionHead as LogisticRegressionHead
from stratagem._tf1.canned import MultiClassHead as MultiClassHead
from stratagem._tf1.canned import MultiHead as MultiHead
from stratagem._tf1.canned import MultiLabelHead as MultiLabelHead
from stratagem._tf1.canned import PoissonRegressionHead as PoissonRegressionHead
from stratagem._tf1.canned import RegressionHead as RegressionHead
from stratagem._tf1.canned import classifier_parse_example_spec as classifier_parse_example_spec
from stratagem._tf1.canned import regressor_parse_example_spec as regressor_parse_example_spec
from stratagem._tf1.estimator import BestExporter as BestExporter
from stratagem._tf1.estimator import CheckpointSaverHook as CheckpointSaverHook
from stratagem._tf1.estimator import CheckpointSaverListener as CheckpointSaverListener
from stratagem._tf1.estimator import Estimator as Estimator
from stratagem._tf1.estimator import EstimatorSpec as EstimatorSpec
from stratagem._tf1.estimator import EvalSpec as EvalSpec
from stratagem._tf1.estimator import Exporter as Exporter
from stratagem._tf1.estimator import FeedFnHook as FeedFnHook
from stratagem._tf1.estimator import FinalExporter as FinalExporter
from stratagem._tf1.estimator import FinalOpsHook as FinalOpsHook
from stratagem._tf1.estimator import GlobalStepWaiterHook as GlobalStepWaiterHook
from stratagem._tf1.estimator import LatestExporter as LatestExporter
from stratagem._tf1.estimator import LoggingTensorHook as LoggingTensorHook
from stratagem._tf1.estimator import ModeKeys as ModeKeys
from stratagem._tf1.estimator import NanLossDuringTrainingError as NanLossDuringTrainingError
from stratagem._tf1.estimator import NanTensorHook as NanTensorHook
from stratagem._tf1.estimator import ProfilerHook as ProfilerHook
from stratagem._tf1.estimator import RunConfig as RunConfig
from stratagem._tf1.estimator import Scaffold as Scaffold
from stratagem._tf1.estimator import SecondOrStepTimer as SecondOrStepTimer
from stratagem._tf1.estimator import SessionRunArgs as SessionRunArgs
from stratagem._tf1.estimator import SessionRunContext as SessionRunContext
from stratagem._tf1.estimator import SessionRunHook as SessionRunHook
from stratagem._tf1.estimator import SessionRunValues as SessionRunValues
from stratagem._tf1.estimator import StepCounterHook as StepCounterHook
from stratagem._tf1.estimator import StopAtStepHook as StopAtStepHook
from stratagem._tf1.estimator import SummarySaverHook as SummarySaverHook
from stratagem._tf1.estimator import TrainSpec as TrainSpec
from stratagem._tf1.estimator import VocabInfo as VocabInfo
from stratagem._tf1.estimator import WarmStartSettings as WarmStartSettings
from stratagem._tf1.estimator import add_metrics as add_metrics
from stratagem._tf1.estimator import model_to_estimator as model_to_estimator
from stratagem._tf1.estimator import train_and_evaluate as train_and_evaluate
from stratagem.estimator import experimental as experimental
from stratagem.estimator import export as export

__all__ = [
    "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter", "BinaryClassHead",
    "CheckpointSaverHook", "CheckpointSaverListener", "DNNClassifier", "DNNEstimator", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "DNNRegressor", "Estimator", "EstimatorSpec",
    "EvalSpec", "Exporter", "FeedFnHook", "FinalExporter", "FinalOpsHook", "GlobalStepWaiterHook", "Head",
    "LatestExporter", "LinearClassifier", "LinearEstimator", "LinearRegressor", "LoggingTensorHook",
    "LogisticRegressionHead", "ModeKeys", "MultiClassHead", "MultiHead", "MultiLabelHead", "NanLossDuringTrainingError",
    "NanTensorHook", "PoissonRegressionHead", "ProfilerHook", "RegressionHead", "RunConfig", "Scaffold",
    "SecondOrStepTimer", "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook",
    "StopAtStepHook", "SummarySaverHook", "TrainSpec", "VocabInfo", "WarmStartSettings", "add_metrics",
    "classifier_parse_example_spec", "experimental", "export", "model_to_estimator", "regressor_parse_example_spec",
    "train_and_evaluate"
]  # fmt: skip
