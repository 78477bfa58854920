"""tfa.metrics: metrics."""

from stratagem import _hooks
from stratagem._addons import CohenKappa as CohenKappa
from stratagem._addons import F1Score as F1Score
from stratagem._addons import FBetaScore as FBetaScore
from stratagem._addons import HammingLoss as HammingLoss
from stratagem._addons import MatthewsCorrelationCoefficient as MatthewsCorrelationCoefficient
from stratagem._addons import RSquare as RSquare
from stratagem._addons import hamming_distance as hamming_distance
from stratagem._addons import hamming_loss_fn as hamming_loss_fn
from stratagem._addons import not_in_addons as _not_in_addons

_hooks.install()
__getattr__ = _not_in_addons("metrics")
