"""`tf.nn.experimental`: dropout with numbers of the caller's."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.sampling import general_dropout as general_dropout
from stratagem._ops.sampling import stateless_dropout as stateless_dropout

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("nn.experimental", name)
