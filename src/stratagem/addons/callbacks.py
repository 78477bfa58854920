"""tfa.callbacks: callbacks."""

from stratagem import _hooks
from stratagem._addons import TimeStopping as TimeStopping
from stratagem._addons import not_in_addons as _not_in_addons

_hooks.install()
__getattr__ = _not_in_addons("callbacks")
