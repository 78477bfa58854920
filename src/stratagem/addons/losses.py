"""tfa.losses: losses."""

from stratagem import _hooks
from stratagem._addons import ContrastiveLoss as ContrastiveLoss
from stratagem._addons import PinballLoss as PinballLoss
from stratagem._addons import SigmoidFocalCrossEntropy as SigmoidFocalCrossEntropy
from stratagem._addons import TripletHardLoss as TripletHardLoss
from stratagem._addons import TripletSemiHardLoss as TripletSemiHardLoss
from stratagem._addons import contrastive_loss as contrastive_loss
from stratagem._addons import not_in_addons as _not_in_addons
from stratagem._addons import pinball_loss as pinball_loss
from stratagem._addons import sigmoid_focal_crossentropy as sigmoid_focal_crossentropy
from stratagem._addons import triplet_hard_loss as triplet_hard_loss
from stratagem._addons import triplet_semihard_loss as triplet_semihard_loss

_hooks.install()
__getattr__ = _not_in_addons("losses")
