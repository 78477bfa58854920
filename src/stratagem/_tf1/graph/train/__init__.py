"""The optimizers, learning rate schedules and moving averages of tf1.train."""

from stratagem._tf1.graph.train._average import ExponentialMovingAverage as ExponentialMovingAverage
from stratagem._tf1.graph.train._optimizer import Optimizer as Optimizer
from stratagem._tf1.graph.train._optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from stratagem._tf1.graph.train._optimizers import AdagradOptimizer as AdagradOptimizer
from stratagem._tf1.graph.train._optimizers import AdamOptimizer as AdamOptimizer
from stratagem._tf1.graph.train._optimizers import FtrlOptimizer as FtrlOptimizer
from stratagem._tf1.graph.train._optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from stratagem._tf1.graph.train._optimizers import MomentumOptimizer as MomentumOptimizer
from stratagem._tf1.graph.train._optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from stratagem._tf1.graph.train._optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from stratagem._tf1.graph.train._optimizers import RMSPropOptimizer as RMSPropOptimizer
from stratagem._tf1.graph.train._schedules import cosine_decay as cosine_decay
from stratagem._tf1.graph.train._schedules import cosine_decay_restarts as cosine_decay_restarts
from stratagem._tf1.graph.train._schedules import exponential_decay as exponential_decay
from stratagem._tf1.graph.train._schedules import inverse_time_decay as inverse_time_decay
from stratagem._tf1.graph.train._schedules import linear_cosine_decay as linear_cosine_decay
from stratagem._tf1.graph.train._schedules import natural_exp_decay as natural_exp_decay
from stratagem._tf1.graph.train._schedules import piecewise_constant as piecewise_constant
from stratagem._tf1.graph.train._schedules import polynomial_decay as polynomial_decay
