"""Random tensors. A folder of its own, because some names here are also those of other functions, and it needs Keras."""

from stratagem._ops.sampling._candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from stratagem._ops.sampling._dropout import dropout as dropout
from stratagem._ops.sampling._dropout import stateless_dropout as stateless_dropout
from stratagem._ops.sampling._generator import Generator as Generator
from stratagem._ops.sampling._initializers import ConstantInitializer as constant_initializer  # noqa: F401
from stratagem._ops.sampling._initializers import OnesInitializer as ones_initializer  # noqa: F401
from stratagem._ops.sampling._initializers import RandomNormalInitializer as random_normal_initializer  # noqa: F401
from stratagem._ops.sampling._initializers import RandomUniformInitializer as random_uniform_initializer  # noqa: F401
from stratagem._ops.sampling._initializers import ZerosInitializer as zeros_initializer  # noqa: F401
from stratagem._ops.sampling._random import attach_drawn_seeds as attach_drawn_seeds
from stratagem._ops.sampling._random import categorical as categorical
from stratagem._ops.sampling._random import normal as normal
from stratagem._ops.sampling._random import poisson as poisson
from stratagem._ops.sampling._random import set_seed as set_seed
from stratagem._ops.sampling._random import truncated_normal as truncated_normal
from stratagem._ops.sampling._random import uniform as uniform
from stratagem._ops.sampling._random import words_of as words_of
from stratagem._ops.sampling._stateless import stateless_normal as stateless_normal
from stratagem._ops.sampling._stateless import stateless_truncated_normal as stateless_truncated_normal
from stratagem._ops.sampling._stateless import stateless_uniform as stateless_uniform
