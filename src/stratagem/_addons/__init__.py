"""TensorFlow Addons: what programs import as `tfa`, on Keras 3 and the legacy optimizers.

In: tensors, variables, the arguments of TensorFlow Addons 0.23.
Out: its activations, layers, losses, metrics, optimizers and transformations of images, with its formulas.
Never: a name that is accepted and does something else; what is missing says what to use.
"""

from stratagem._addons._layers import GELU as GELU
from stratagem._addons._layers import FilterResponseNormalization as FilterResponseNormalization
from stratagem._addons._layers import InstanceNormalization as InstanceNormalization
from stratagem._addons._layers import Maxout as Maxout
from stratagem._addons._layers import Snake as Snake
from stratagem._addons._layers import Sparsemax as Sparsemax
from stratagem._addons._layers import StochasticDepth as StochasticDepth
from stratagem._addons._layers import WeightNormalization as WeightNormalization
from stratagem._addons._losses import ContrastiveLoss as ContrastiveLoss
from stratagem._addons._losses import PinballLoss as PinballLoss
from stratagem._addons._losses import SigmoidFocalCrossEntropy as SigmoidFocalCrossEntropy
from stratagem._addons._losses import TripletHardLoss as TripletHardLoss
from stratagem._addons._losses import TripletSemiHardLoss as TripletSemiHardLoss
from stratagem._addons._losses import contrastive_loss as contrastive_loss
from stratagem._addons._losses import pinball_loss as pinball_loss
from stratagem._addons._losses import sigmoid_focal_crossentropy as sigmoid_focal_crossentropy
from stratagem._addons._losses import triplet_hard_loss as triplet_hard_loss
from stratagem._addons._losses import triplet_semihard_loss as triplet_semihard_loss
from stratagem._addons._metrics import CohenKappa as CohenKappa
from stratagem._addons._metrics import F1Score as F1Score
from stratagem._addons._metrics import FBetaScore as FBetaScore
from stratagem._addons._metrics import HammingLoss as HammingLoss
from stratagem._addons._metrics import MatthewsCorrelationCoefficient as MatthewsCorrelationCoefficient
from stratagem._addons._metrics import RSquare as RSquare
from stratagem._addons._metrics import hamming_distance as hamming_distance
from stratagem._addons._metrics import hamming_loss_fn as hamming_loss_fn
from stratagem._addons._missing import not_in_addons as not_in_addons
from stratagem._addons._optimizers import LAMB as LAMB
from stratagem._addons._schedules import CyclicalLearningRate as CyclicalLearningRate
from stratagem._addons._schedules import ExponentialCyclicalLearningRate as ExponentialCyclicalLearningRate
from stratagem._addons._schedules import Triangular2CyclicalLearningRate as Triangular2CyclicalLearningRate
from stratagem._addons._schedules import TriangularCyclicalLearningRate as TriangularCyclicalLearningRate
