"""`tf.random.experimental`: the names under which TensorFlow first had these functions."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.sampling import Algorithm as Algorithm
from stratagem._ops.sampling import Generator as Generator
from stratagem._ops.sampling import create_rng_state as create_rng_state
from stratagem._ops.sampling import fold_in as stateless_fold_in  # noqa: F401
from stratagem._ops.sampling import get_global_generator as get_global_generator
from stratagem._ops.sampling import index_shuffle as index_shuffle
from stratagem._ops.sampling import set_global_generator as set_global_generator
from stratagem._ops.sampling import split as stateless_split  # noqa: F401
from stratagem._ops.sampling import stateless_shuffle as stateless_shuffle

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("random.experimental", name)
