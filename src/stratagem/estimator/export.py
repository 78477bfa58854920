"""tf.estimator.export: what a served model is given, and what it answers."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._tf1.estimator import ServingInputReceiver as ServingInputReceiver
from stratagem._tf1.estimator import TensorServingInputReceiver as TensorServingInputReceiver
from stratagem._tf1.estimator import build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn
from stratagem._tf1.estimator import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
from stratagem._tf1.estimator.export import ClassificationOutput as ClassificationOutput
from stratagem._tf1.estimator.export import ExportOutput as ExportOutput
from stratagem._tf1.estimator.export import PredictOutput as PredictOutput
from stratagem._tf1.estimator.export import RegressionOutput as RegressionOutput

__getattr__ = _not_provided_in("estimator.export")
