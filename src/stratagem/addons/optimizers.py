"""tfa.optimizers: optimizers and learning rates."""

from stratagem import _hooks
from stratagem._addons import LAMB as LAMB
from stratagem._addons import SGDW as SGDW
from stratagem._addons import AdamW as AdamW
from stratagem._addons import CyclicalLearningRate as CyclicalLearningRate
from stratagem._addons import DecoupledWeightDecayExtension as DecoupledWeightDecayExtension
from stratagem._addons import ExponentialCyclicalLearningRate as ExponentialCyclicalLearningRate
from stratagem._addons import LazyAdam as LazyAdam
from stratagem._addons import RectifiedAdam as RectifiedAdam
from stratagem._addons import Triangular2CyclicalLearningRate as Triangular2CyclicalLearningRate
from stratagem._addons import TriangularCyclicalLearningRate as TriangularCyclicalLearningRate
from stratagem._addons import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
from stratagem._addons import not_in_addons as _not_in_addons

_hooks.install()
__getattr__ = _not_in_addons("optimizers")
