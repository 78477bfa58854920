"""tfa.activations: activations."""

from stratagem import _hooks
from stratagem._addons import gelu as gelu
from stratagem._addons import hardshrink as hardshrink
from stratagem._addons import lisht as lisht
from stratagem._addons import mish as mish
from stratagem._addons import not_in_addons as _not_in_addons
from stratagem._addons import rrelu as rrelu
from stratagem._addons import snake as snake
from stratagem._addons import softshrink as softshrink
from stratagem._addons import sparsemax as sparsemax
from stratagem._addons import tanhshrink as tanhshrink

_hooks.install()
__getattr__ = _not_in_addons("activations")
