"""`tf.autodiff`: differentiation in reverse and forward."""

from stratagem import _hooks
from stratagem._core.step import ForwardAccumulator as ForwardAccumulator
from stratagem._core.step import GradientTape as GradientTape
from stratagem._ops import not_provided as _not_provided

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("autodiff", name)
