# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.sampling import Algorithm as Algorithm
from stratagem._ops.sampling import Generator as Generator
from stratagem._ops.sampling import all_candidate_sampler as all_candidate_sampler
from stratagem._ops.sampling import categorical as categorical
from stratagem._ops.sampling import create_rng_state as create_rng_state
from stratagem._ops.sampling import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from stratagem._ops.sampling import fold_in as fold_in
from stratagem._ops.sampling import gamma as gamma
from stratagem._ops.sampling import get_global_generator as get_global_generator
from stratagem._ops.sampling import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from stratagem._ops.sampling import normal as normal
from stratagem._ops.sampling import poisson as poisson
from stratagem._ops.sampling import set_global_generator as set_global_generator
from stratagem._ops.sampling import set_seed as set_seed
from stratagem._ops.sampling import shuffle as shuffle
from stratagem._ops.sampling import split as split
from stratagem._ops.sampling import stateless_binomial as stateless_binomial
from stratagem._ops.sampling import stateless_categorical as stateless_categorical
from stratagem._ops.sampling import stateless_gamma as stateless_gamma
from stratagem._ops.sampling import stateless_normal as stateless_normal
from stratagem._ops.sampling import stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal
from stratagem._ops.sampling import stateless_poisson as stateless_poisson
from stratagem._ops.sampling import stateless_truncated_normal as stateless_truncated_normal
from stratagem._ops.sampling import stateless_uniform as stateless_uniform
from stratagem._ops.sampling import truncated_normal as truncated_normal
from stratagem._ops.sampling import uniform as uniform
from stratagem._ops.sampling import uniform_candidate_sampler as uniform_candidate_sampler
from stratagem.random import experimental as experimental

__all__ = [
    "Algorithm", "Generator", "all_candidate_sampler", "categorical", "create_rng_state", "experimental",
    "fixed_unigram_candidate_sampler", "fold_in", "gamma", "get_global_generator", "log_uniform_candidate_sampler",
    "normal", "poisson", "set_global_generator", "set_seed", "shuffle", "split", "stateless_binomial",
    "stateless_categorical", "stateless_gamma", "stateless_normal", "stateless_parameterized_truncated_normal",
    "stateless_poisson", "stateless_truncated_normal", "stateless_uniform", "truncated_normal", "uniform",
    "uniform_candidate_sampler"
]  # fmt: skip
