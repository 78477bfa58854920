"""tf.keras.optimizers.legacy: the optimizers of TensorFlow before 2.11, with their formulas and settings."""

from stratagem._legacy import LegacyAdadelta as Adadelta
from stratagem._legacy import LegacyAdagrad as Adagrad
from stratagem._legacy import LegacyAdam as Adam
from stratagem._legacy import LegacyAdamax as Adamax
from stratagem._legacy import LegacyFtrl as Ftrl
from stratagem._legacy import LegacyNadam as Nadam
from stratagem._legacy import LegacyOptimizer as Optimizer
from stratagem._legacy import LegacyRMSprop as RMSprop
from stratagem._legacy import LegacySGD as SGD

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop"]
