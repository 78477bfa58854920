"""The optimizers, learning rate schedules and moving averages of tf1.train."""

from stratagem._tf1.graph.train._optimizer import Optimizer as Optimizer
from stratagem._tf1.graph.train._optimizers import AdagradOptimizer as AdagradOptimizer
from stratagem._tf1.graph.train._optimizers import AdamOptimizer as AdamOptimizer
from stratagem._tf1.graph.train._optimizers import FtrlOptimizer as FtrlOptimizer
from stratagem._tf1.graph.train._optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from stratagem._tf1.graph.train._optimizers import RMSPropOptimizer as RMSPropOptimizer
