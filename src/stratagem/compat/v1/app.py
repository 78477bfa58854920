"""tf.compat.v1.app: runs a program's main function with absl's flags."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem.compat.v1 import flags as flags
from stratagem.compat.v1._app import run as run

__getattr__ = _not_provided_in("compat.v1.app")
