"""`tf.autograph.experimental`: what is converted, and how loops run."""

from stratagem import _hooks
from stratagem._autograph import Feature as Feature
from stratagem._autograph import do_not_convert as do_not_convert
from stratagem._autograph import set_loop_options as set_loop_options
from stratagem._ops import not_provided as _not_provided

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("autograph.experimental", name)
