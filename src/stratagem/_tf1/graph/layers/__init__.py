"""The layers of tf1.layers: functions and classes."""

from stratagem._tf1.graph.layers._core import dense as dense
from stratagem._tf1.graph.layers._core import dropout as dropout
from stratagem._tf1.graph.layers._normalization import batch_normalization as batch_normalization
