"""The losses of tf1.losses."""

from stratagem._tf1.graph.losses._weighted import Reduction as Reduction
from stratagem._tf1.graph.losses._weighted import compute_weighted_loss as compute_weighted_loss
