# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.sampling import Algorithm as Algorithm
from stratagem._ops.sampling import Generator as Generator
from stratagem._ops.sampling import create_rng_state as create_rng_state
from stratagem._ops.sampling import fold_in as stateless_fold_in
from stratagem._ops.sampling import get_global_generator as get_global_generator
from stratagem._ops.sampling import index_shuffle as index_shuffle
from stratagem._ops.sampling import set_global_generator as set_global_generator
from stratagem._ops.sampling import split as stateless_split
from stratagem._ops.sampling import stateless_shuffle as stateless_shuffle

__all__ = [
    "Algorithm", "Generator", "create_rng_state", "get_global_generator", "index_shuffle", "set_global_generator",
    "stateless_fold_in", "stateless_shuffle", "stateless_split"
]  # fmt: skip
