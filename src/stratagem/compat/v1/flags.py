"""tf.compat.v1.flags: absl's flags, which are parsed when one of them is first read."""

from typing import Any as _Any

from absl import flags as _flags
from absl.flags import *

from stratagem._ops import not_provided as _not_provided
from stratagem.compat.v1._flags import FLAGS as FLAGS
from stratagem.compat.v1._flags import DEFINE_bool as DEFINE_bool
from stratagem.compat.v1._flags import DEFINE_boolean as DEFINE_boolean
from stratagem.compat.v1._flags import DEFINE_float as DEFINE_float
from stratagem.compat.v1._flags import DEFINE_integer as DEFINE_integer
from stratagem.compat.v1._flags import DEFINE_string as DEFINE_string


def __getattr__(name: str) -> _Any:
    if name.startswith("__") or not hasattr(_flags, name):  # absl's `__path__` would make this module its package
        raise _not_provided("compat.v1.flags", name)
    return getattr(_flags, name)
