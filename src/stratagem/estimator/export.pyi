# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.estimator import ServingInputReceiver as ServingInputReceiver
from stratagem._tf1.estimator import TensorServingInputReceiver as TensorServingInputReceiver
from stratagem._tf1.estimator import build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn
from stratagem._tf1.estimator import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
from stratagem._tf1.estimator.export import ClassificationOutput as ClassificationOutput
from stratagem._tf1.estimator.export import ExportOutput as ExportOutput
from stratagem._tf1.estimator.export import PredictOutput as PredictOutput
from stratagem._tf1.estimator.export import RegressionOutput as RegressionOutput

__all__ = [
    "ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput", "ServingInputReceiver",
    "TensorServingInputReceiver", "build_parsing_serving_input_receiver_fn", "build_raw_serving_input_receiver_fn"
]  # fmt: skip
