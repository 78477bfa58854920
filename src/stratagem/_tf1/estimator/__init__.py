"""Estimators of TensorFlow 1: a model_fn, traced like any step, is trained and evaluated, and makes predictions."""

from stratagem._tf1.estimator._call import argument_names as argument_names
from stratagem._tf1.estimator._call import call_with as call_with
from stratagem._tf1.estimator._class_names import class_names as class_names
from stratagem._tf1.estimator._config import RunConfig as RunConfig
from stratagem._tf1.estimator._estimator import Estimator as Estimator
from stratagem._tf1.estimator._events import EventFolders as EventFolders
from stratagem._tf1.estimator._model_spec import EstimatorSpec as EstimatorSpec
from stratagem._tf1.estimator._model_spec import ModeKeys as ModeKeys
from stratagem._tf1.estimator._scaffold import Scaffold as Scaffold
from stratagem._tf1.estimator._session_run_hook import SessionRunHook as SessionRunHook
