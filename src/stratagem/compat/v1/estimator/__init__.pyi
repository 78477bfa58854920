# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.canned import GraphBaselineClassifier as BaselineClassifier
from stratagem._tf1.canned import GraphBaselineEstimator as BaselineEstimator
from stratagem._tf1.canned import GraphBaselineRegressor as BaselineRegressor
from stratagem._tf1.canned import GraphDNNClassifier as DNNClassifier
from stratagem._tf1.canned import GraphDNNEstimator as DNNEstimator
from stratagem._tf1.canned import GraphDNNLinearCombinedClassifier as DNNLinearCombinedClassifier
from stratagem._tf1.canned import GraphDNNLinearCombinedEstimator as DNNLinearCombinedEstimator
from stratagem._tf1.canned import GraphDNNLinearCombinedRegressor as DNNLinearCombinedRegressor
from stratagem._tf1.canned import GraphDNNRegressor as DNNRegressor
from stratagem._tf1.canned import GraphLinearClassifier as LinearClassifier
from stratagem._tf1.canned import GraphLinearEstimator as LinearEstimator
from stratagem._tf1.canned import GraphLinearRegressor as LinearRegressor
from stratagem.compat.v1.estimator import experimental as experimental
from stratagem.compat.v1.estimator import inputs as inputs
from stratagem.compat.v1.estimator import tpu as tpu
from stratagem.estimator import BestExporter as BestExporter
from stratagem.estimator import BinaryClassHead as BinaryClassHead
from stratagem.estimator import CheckpointSaverHook as CheckpointSaverHook
from stratagem.estimator import CheckpointSaverListener as CheckpointSaverListener
from stratagem.estimator import Estimator as Estimator
from stratagem.estimator import EstimatorSpec as EstimatorSpec
from stratagem.estimator import EvalSpec as EvalSpec
from stratagem.estimator import Exporter as Exporter
from stratagem.estimator import FeedFnHook as FeedFnHook
from stratagem.estimator import FinalExporter as FinalExporter
from stratagem.estimator import FinalOpsHook as FinalOpsHook
from stratagem.estimator import GlobalStepWaiterHook as GlobalStepWaiterHook
from stratagem.estimator import Head as Head
from stratagem.estimator import LatestExporter as LatestExporter
from stratagem.estimator import LoggingTensorHook as LoggingTensorHook
from stratagem.estimator import LogisticRegressionHead as LogisticRegressionHead
from stratagem.estimator import ModeKeys as ModeKeys
from stratagem.estimator import MultiClassHead as MultiClassHead
from stratagem.estimator import MultiHead as MultiHead
from stratagem.estimator import MultiLabelHead as MultiLabelHead
from stratagem.estimator import NanLossDuringTrainingError as NanLossDuringTrainingError
from stratagem.estimator import NanTensorHook as NanTensorHook
from stratagem.estimator import PoissonRegressionHead as PoissonRegressionHead
from stratagem.estimator import ProfilerHook as ProfilerHook
from stratagem.estimator import RegressionHead as RegressionHead
from stratagem.estimator import RunConfig as RunConfig
from stratagem.estimator import SecondOrStepTimer as SecondOrStepTimer
from stratagem.estimator import SessionRunArgs as SessionRunArgs
from stratagem.estimator import SessionRunContext as SessionRunContext
from stratagem.estimator import SessionRunHook as SessionRunHook
from stratagem.estimator import SessionRunValues as SessionRunValues
from stratagem.estimator import StepCounterHook as StepCounterHook
from stratagem.estimator import StopAtStepHook as StopAtStepHook
from stratagem.estimator import SummarySaverHook as SummarySaverHook
from stratagem.estimator import TrainSpec as TrainSpec
from stratagem.estimator import VocabInfo as VocabInfo
from stratagem.estimator import WarmStartSettings as WarmStartSettings
from stratagem.estimator import add_metrics as add_metrics
from stratagem.estimator import classifier_parse_example_spec as classifier_parse_example_spec
from stratagem.estimator import export as export
from stratagem.estimator import regressor_parse_example_spec as regressor_parse_example_spec
from stratagem.estimator import train_and_evaluate as train_and_evaluate

__all__ = [
    "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter", "BinaryClassHead",
    "CheckpointSaverHook", "CheckpointSaverListener", "DNNClassifier", "DNNEstimator", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "DNNRegressor", "Estimator", "EstimatorSpec",
    "EvalSpec", "Exporter", "FeedFnHook", "FinalExporter", "FinalOpsHook", "GlobalStepWaiterHook", "Head",
    "LatestExporter", "LinearClassifier", "LinearEstimator", "LinearRegressor", "LoggingTensorHook",
    "LogisticRegressionHead", "ModeKeys", "MultiClassHead", "MultiHead", "MultiLabelHead", "NanLossDuringTrainingError",
    "NanTensorHook", "PoissonRegressionHead", "ProfilerHook", "RegressionHead", "RunConfig", "SecondOrStepTimer",
    "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook",
    "SummarySaverHook", "TrainSpec", "VocabInfo", "WarmStartSettings", "add_metrics", "classifier_parse_example_spec",
    "experimental", "export", "inputs", "regressor_parse_example_spec", "tpu", "train_and_evaluate"
]  # fmt: skip
