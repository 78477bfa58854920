"""The metrics of tf1.metrics."""

from stratagem._tf1.graph.metrics._counts import auc as auc
from stratagem._tf1.graph.metrics._counts import false_negatives as false_negatives
from stratagem._tf1.graph.metrics._counts import false_positives as false_positives
from stratagem._tf1.graph.metrics._counts import precision as precision
from stratagem._tf1.graph.metrics._counts import precision_at_thresholds as precision_at_thresholds
from stratagem._tf1.graph.metrics._counts import recall as recall
from stratagem._tf1.graph.metrics._counts import recall_at_thresholds as recall_at_thresholds
from stratagem._tf1.graph.metrics._counts import true_negatives as true_negatives
from stratagem._tf1.graph.metrics._counts import true_positives as true_positives
from stratagem._tf1.graph.metrics._means import accuracy as accuracy
from stratagem._tf1.graph.metrics._means import mean as mean
from stratagem._tf1.graph.metrics._means import mean_absolute_error as mean_absolute_error
from stratagem._tf1.graph.metrics._means import mean_cosine_distance as mean_cosine_distance
from stratagem._tf1.graph.metrics._means import mean_iou as mean_iou
from stratagem._tf1.graph.metrics._means import mean_per_class_accuracy as mean_per_class_accuracy
from stratagem._tf1.graph.metrics._means import mean_relative_error as mean_relative_error
from stratagem._tf1.graph.metrics._means import mean_squared_error as mean_squared_error
from stratagem._tf1.graph.metrics._means import mean_tensor as mean_tensor
from stratagem._tf1.graph.metrics._means import percentage_below as percentage_below
from stratagem._tf1.graph.metrics._means import root_mean_squared_error as root_mean_squared_error
