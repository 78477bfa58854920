"""Estimators of TensorFlow 1: a model_fn is traced like any step, and trained, evaluated and asked for predictions."""

from stratagem.estimator._config import RunConfig as RunConfig
from stratagem.estimator._export import ClassificationOutput as ClassificationOutput
from stratagem.estimator._export import ExportOutput as ExportOutput
from stratagem.estimator._export import PredictOutput as PredictOutput
from stratagem.estimator._export import RegressionOutput as RegressionOutput
from stratagem.estimator._exporter import Exporter as Exporter
from stratagem.estimator._hook import CheckpointSaverListener as CheckpointSaverListener
from stratagem.estimator._hook import SessionRunHook as SessionRunHook
from stratagem.estimator._model_spec import EstimatorSpec as EstimatorSpec
from stratagem.estimator._modes import ModeKeys as ModeKeys
from stratagem.estimator._scaffold import Scaffold as Scaffold
from stratagem.estimator._specs import EvalSpec as EvalSpec
from stratagem.estimator._specs import TrainSpec as TrainSpec
