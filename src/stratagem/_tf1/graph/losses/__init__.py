"""The losses of tf1.losses."""

from stratagem._tf1.graph.losses._losses import absolute_difference as absolute_difference
from stratagem._tf1.graph.losses._losses import cosine_distance as cosine_distance
from stratagem._tf1.graph.losses._losses import hinge_loss as hinge_loss
from stratagem._tf1.graph.losses._losses import huber_loss as huber_loss
from stratagem._tf1.graph.losses._losses import log_loss as log_loss
from stratagem._tf1.graph.losses._losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from stratagem._tf1.graph.losses._losses import mean_squared_error as mean_squared_error
from stratagem._tf1.graph.losses._losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from stratagem._tf1.graph.losses._losses import softmax_cross_entropy as softmax_cross_entropy
from stratagem._tf1.graph.losses._losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
from stratagem._tf1.graph.losses._weighted import Reduction as Reduction
from stratagem._tf1.graph.losses._weighted import add_loss as add_loss
from stratagem._tf1.graph.losses._weighted import compute_weighted_loss as compute_weighted_loss
from stratagem._tf1.graph.losses._weighted import get_losses as get_losses
from stratagem._tf1.graph.losses._weighted import get_regularization_loss as get_regularization_loss
from stratagem._tf1.graph.losses._weighted import get_regularization_losses as get_regularization_losses
from stratagem._tf1.graph.losses._weighted import get_total_loss as get_total_loss
