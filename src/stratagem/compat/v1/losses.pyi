# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.losses import Reduction as Reduction
from stratagem._tf1.graph.losses import absolute_difference as absolute_difference
from stratagem._tf1.graph.losses import add_loss as add_loss
from stratagem._tf1.graph.losses import compute_weighted_loss as compute_weighted_loss
from stratagem._tf1.graph.losses import cosine_distance as cosine_distance
from stratagem._tf1.graph.losses import get_losses as get_losses
from stratagem._tf1.graph.losses import get_regularization_loss as get_regularization_loss
from stratagem._tf1.graph.losses import get_regularization_losses as get_regularization_losses
from stratagem._tf1.graph.losses import get_total_loss as get_total_loss
from stratagem._tf1.graph.losses import hinge_loss as hinge_loss
from stratagem._tf1.graph.losses import huber_loss as huber_loss
from stratagem._tf1.graph.losses import log_loss as log_loss
from stratagem._tf1.graph.losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from stratagem._tf1.graph.losses import mean_squared_error as mean_squared_error
from stratagem._tf1.graph.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from stratagem._tf1.graph.losses import softmax_cross_entropy as softmax_cross_entropy
from stratagem._tf1.graph.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy

__all__ = [
    "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy"
]  # fmt: skip
