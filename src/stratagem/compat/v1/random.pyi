# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.sampling import set_seed as set_random_seed
from stratagem._tf1.graph.functions.random import multinomial as multinomial
from stratagem._tf1.graph.functions.random import normal as normal
from stratagem._tf1.graph.functions.random import normal as random_normal
from stratagem._tf1.graph.functions.random import poisson as poisson
from stratagem._tf1.graph.functions.random import poisson as random_poisson
from stratagem._tf1.graph.functions.random import truncated_normal as truncated_normal
from stratagem._tf1.graph.functions.random import uniform as random_uniform
from stratagem._tf1.graph.functions.random import uniform as uniform
from stratagem.random import Algorithm as Algorithm
from stratagem.random import Generator as Generator
from stratagem.random import all_candidate_sampler as all_candidate_sampler
from stratagem.random import categorical as categorical
from stratagem.random import create_rng_state as create_rng_state
from stratagem.random import experimental as experimental
from stratagem.random import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from stratagem.random import fold_in as fold_in
from stratagem.random import gamma as gamma
from stratagem.random import get_global_generator as get_global_generator
from stratagem.random import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from stratagem.random import set_global_generator as set_global_generator
from stratagem.random import shuffle as shuffle
from stratagem.random import split as split
from stratagem.random import stateless_binomial as stateless_binomial
from stratagem.random import stateless_categorical as stateless_categorical
from stratagem.random import stateless_gamma as stateless_gamma
from stratagem.random import stateless_normal as stateless_normal
from stratagem.random import stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal
from stratagem.random import stateless_poisson as stateless_poisson
from stratagem.random import stateless_truncated_normal as stateless_truncated_normal
from stratagem.random import stateless_uniform as stateless_uniform
from stratagem.random import uniform_candidate_sampler as uniform_candidate_sampler

__all__ = [
    "Algorithm", "Generator", "all_candidate_sampler", "categorical", "create_rng_state", "experimental",
    "fixed_unigram_candidate_sampler", "fold_in", "gamma", "get_global_generator", "log_uniform_candidate_sampler",
    "multinomial", "normal", "poisson", "random_normal", "random_poisson", "random_uniform", "set_global_generator",
    "set_random_seed", "shuffle", "split", "stateless_binomial", "stateless_categorical", "stateless_gamma",
    "stateless_normal", "stateless_parameterized_truncated_normal", "stateless_poisson", "stateless_truncated_normal",
    "stateless_uniform", "truncated_normal", "uniform", "uniform_candidate_sampler"
]  # fmt: skip
