"""tf.compat.v1.metrics."""

from typing import Any

from stratagem._ops import not_provided
from stratagem._tf1.graph.metrics import accuracy as accuracy
from stratagem._tf1.graph.metrics import auc as auc
from stratagem._tf1.graph.metrics import false_negatives as false_negatives
from stratagem._tf1.graph.metrics import false_positives as false_positives
from stratagem._tf1.graph.metrics import mean as mean
from stratagem._tf1.graph.metrics import mean_absolute_error as mean_absolute_error
from stratagem._tf1.graph.metrics import mean_cosine_distance as mean_cosine_distance
from stratagem._tf1.graph.metrics import mean_iou as mean_iou
from stratagem._tf1.graph.metrics import mean_per_class_accuracy as mean_per_class_accuracy
from stratagem._tf1.graph.metrics import mean_relative_error as mean_relative_error
from stratagem._tf1.graph.metrics import mean_squared_error as mean_squared_error
from stratagem._tf1.graph.metrics import mean_tensor as mean_tensor
from stratagem._tf1.graph.metrics import percentage_below as percentage_below
from stratagem._tf1.graph.metrics import precision as precision
from stratagem._tf1.graph.metrics import precision_at_thresholds as precision_at_thresholds
from stratagem._tf1.graph.metrics import recall as recall
from stratagem._tf1.graph.metrics import recall_at_thresholds as recall_at_thresholds
from stratagem._tf1.graph.metrics import root_mean_squared_error as root_mean_squared_error
from stratagem._tf1.graph.metrics import true_negatives as true_negatives
from stratagem._tf1.graph.metrics import true_positives as true_positives


def __getattr__(name: str) -> Any:
    raise not_provided("compat.v1.metrics", name)
