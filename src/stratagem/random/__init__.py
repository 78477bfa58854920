"""`tf.random`: random tensors."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
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

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("random", name)
