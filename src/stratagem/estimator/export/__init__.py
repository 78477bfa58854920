"""tf.estimator.export: what a model_fn says of a served model's answers."""

from stratagem.estimator.export._missing import __getattr__ as __getattr__
from stratagem.estimator.export._outputs import ClassificationOutput as ClassificationOutput
from stratagem.estimator.export._outputs import ExportOutput as ExportOutput
from stratagem.estimator.export._outputs import PredictOutput as PredictOutput
from stratagem.estimator.export._outputs import RegressionOutput as RegressionOutput
