"""tf.compat.v1.flags: absl's flags, which are parsed when one of them is first read."""

import sys as _sys
from collections.abc import Callable as _Callable
from typing import Any as _Any

from absl import flags as _flags

from stratagem._ops import not_provided as _not_provided

_flags.disclaim_key_flags()  # a flag belongs to the module that defines it with these functions


class _Flags:
    """`FLAGS` for programs that may never call `app.run`: as in TensorFlow, reading a flag parses the command line."""

    def __getattr__(self, name: str) -> _Any:
        if not _flags.FLAGS.is_parsed():
            _flags.FLAGS(_sys.argv, known_only=True)
        return getattr(_flags.FLAGS, name)

    def __setattr__(self, name: str, value: _Any) -> None:
        setattr(_flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_flags.FLAGS, name)

    def __call__(self, argv: _Any, known_only: bool = False) -> _Any:
        return _flags.FLAGS(argv, known_only=known_only)


FLAGS = _Flags()


def _define(define: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """Wraps an absl function so that its first three arguments may also have TensorFlow's names."""

    def defined(*args: _Any, **kwargs: _Any) -> _Any:
        for old, new in (("flag_name", "name"), ("default_value", "default"), ("docstring", "help")):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        return define(*args, **kwargs)

    defined.__doc__ = (define.__doc__ or "").partition("\n")[0]  # the rest of it names absl's own parameters
    return defined


DEFINE_string = _define(_flags.DEFINE_string)
DEFINE_boolean = DEFINE_bool = _define(_flags.DEFINE_boolean)
DEFINE_integer = _define(_flags.DEFINE_integer)
DEFINE_float = _define(_flags.DEFINE_float)


def __getattr__(name: str) -> _Any:
    if not hasattr(_flags, name):
        raise _not_provided("compat.v1.flags", name)
    return getattr(_flags, name)
