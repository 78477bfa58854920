"""tf.estimator.export: what a model_fn says of a served model's answers."""

from stratagem._tf1.estimator.export._missing import __getattr__ as __getattr__
from stratagem._tf1.estimator.export._outputs import ClassificationOutput as ClassificationOutput
from stratagem._tf1.estimator.export._outputs import ExportOutput as ExportOutput
from stratagem._tf1.estimator.export._outputs import PredictOutput as PredictOutput
from stratagem._tf1.estimator.export._outputs import RegressionOutput as RegressionOutput
