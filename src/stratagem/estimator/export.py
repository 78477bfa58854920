"""tf.estimator.export: descriptions of a served model's answers, for use in a model_fn."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._tf1.estimator.export import ClassificationOutput as ClassificationOutput
from stratagem._tf1.estimator.export import ExportOutput as ExportOutput
from stratagem._tf1.estimator.export import PredictOutput as PredictOutput
from stratagem._tf1.estimator.export import RegressionOutput as RegressionOutput

__getattr__ = _not_provided_in("estimator.export")
