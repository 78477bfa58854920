"""`tf.linalg.experimental`."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.operators import conjugate_gradient as conjugate_gradient

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("linalg.experimental", name)
