"""The metrics of tf1.metrics."""

from stratagem._tf1.graph.metrics._counts import auc as auc
from stratagem._tf1.graph.metrics._counts import precision as precision
from stratagem._tf1.graph.metrics._counts import recall as recall
from stratagem._tf1.graph.metrics._means import accuracy as accuracy
from stratagem._tf1.graph.metrics._means import mean as mean
