"""tf.compat.v1.losses."""

from typing import Any

from stratagem._ops import not_provided
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


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1.losses", name)
