"""`tf.autograph`: tensors that decide in Python's `if`, `while` and `for`."""

from stratagem import _hooks
from stratagem._autograph import set_verbosity as set_verbosity
from stratagem._autograph import to_code as to_code
from stratagem._autograph import to_graph as to_graph
from stratagem._autograph import trace as trace
from stratagem._ops import not_provided as _not_provided
from stratagem.autograph import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("autograph", name)
