"""The optimizers, learning rates and averages of tf1.train."""

from stratagem.graph.train._average import ExponentialMovingAverage as ExponentialMovingAverage
from stratagem.graph.train._optimizer import Optimizer as Optimizer
from stratagem.graph.train._optimizer import gradients as gradients
from stratagem.graph.train._optimizer import scaled_loss as scaled_loss
from stratagem.graph.train._optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from stratagem.graph.train._optimizers import AdagradOptimizer as AdagradOptimizer
from stratagem.graph.train._optimizers import AdamOptimizer as AdamOptimizer
from stratagem.graph.train._optimizers import FtrlOptimizer as FtrlOptimizer
from stratagem.graph.train._optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from stratagem.graph.train._optimizers import MomentumOptimizer as MomentumOptimizer
from stratagem.graph.train._optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from stratagem.graph.train._optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from stratagem.graph.train._optimizers import RMSPropOptimizer as RMSPropOptimizer
from stratagem.graph.train._schedules import cosine_decay as cosine_decay
from stratagem.graph.train._schedules import cosine_decay_restarts as cosine_decay_restarts
from stratagem.graph.train._schedules import exponential_decay as exponential_decay
from stratagem.graph.train._schedules import inverse_time_decay as inverse_time_decay
from stratagem.graph.train._schedules import linear_cosine_decay as linear_cosine_decay
from stratagem.graph.train._schedules import natural_exp_decay as natural_exp_decay
from stratagem.graph.train._schedules import piecewise_constant as piecewise_constant
from stratagem.graph.train._schedules import polynomial_decay as polynomial_decay
