"""Legacy names: what Keras 2 had, and Keras 3 has dropped, in the meaning of TensorFlow 2.15.

In: objects of Keras 3's classes, tensors.
Out: the methods and forms of call of Keras 2 on them; its optimizers, and the functions of its backend.
Never: changes the formulas, layers or files of Keras 3.
"""

from stratagem._legacy._compiled_parts import attach_compiled_parts as attach_compiled_parts
from stratagem._legacy._compiled_parts import attach_metrics_of_outputs as attach_metrics_of_outputs
from stratagem._legacy._constructors import attach_constructors as attach_constructors
from stratagem._legacy._dropped_layers import AbstractRNNCell as AbstractRNNCell
from stratagem._legacy._dropped_layers import ThresholdedReLU as ThresholdedReLU
from stratagem._legacy._embedding_ids import attach_embeddings as attach_embeddings
from stratagem._legacy._generator_methods import GENERATOR_METHODS as GENERATOR_METHODS
from stratagem._legacy._generator_methods import attach_generator_methods as attach_generator_methods
from stratagem._legacy._layers import attach_layer_methods as attach_layer_methods
from stratagem._legacy._linear_model import LinearModel as LinearModel
from stratagem._legacy._loss_functions import compute_weighted_loss as compute_weighted_loss
from stratagem._legacy._loss_scaling import attach_loss_scaling as attach_loss_scaling
from stratagem._legacy._optimizer import Hyperparameter as Hyperparameter
from stratagem._legacy._optimizer import LegacyOptimizer as LegacyOptimizer
from stratagem._legacy._optimizer import rounded as rounded
from stratagem._legacy._optimizer_methods import attach_minimize as attach_minimize
from stratagem._legacy._optimizers import LegacyAdadelta as LegacyAdadelta
from stratagem._legacy._optimizers import LegacyAdagrad as LegacyAdagrad
from stratagem._legacy._optimizers import LegacyAdam as LegacyAdam
from stratagem._legacy._optimizers import LegacyAdamax as LegacyAdamax
from stratagem._legacy._optimizers import LegacyFtrl as LegacyFtrl
from stratagem._legacy._optimizers import LegacyNadam as LegacyNadam
from stratagem._legacy._optimizers import LegacyRMSprop as LegacyRMSprop
from stratagem._legacy._optimizers import LegacySGD as LegacySGD
from stratagem._legacy._ragged_layers import attach_ragged as attach_ragged
from stratagem._legacy._synchronized_normalization import (
    attach_synchronized_normalization as attach_synchronized_normalization,
)
