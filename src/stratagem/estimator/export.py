"""tf.estimator.export: descriptions of a served model's answers, for use in a model_fn."""

from stratagem._tf1.estimator.export import ClassificationOutput as ClassificationOutput
from stratagem._tf1.estimator.export import ExportOutput as ExportOutput
from stratagem._tf1.estimator.export import PredictOutput as PredictOutput
from stratagem._tf1.estimator.export import RegressionOutput as RegressionOutput
from stratagem._tf1.estimator.export import __getattr__ as __getattr__
