"""The flags of tf.compat.v1: absl's, which are parsed when one of them is first read."""

import sys
from collections.abc import Callable
from typing import Any

from absl import flags as _flags

from stratagem._base.exports import exported

_flags.disclaim_key_flags()  # a flag belongs to the module that defines it with these functions


class _Flags:
    """`FLAGS` for programs that may never call `app.run`: as in TensorFlow, reading a flag parses the command line."""

    def __getattr__(self, name: str) -> Any:
        if not _flags.FLAGS.is_parsed():
            _flags.FLAGS(sys.argv, known_only=True)
        return getattr(_flags.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_flags.FLAGS, name)

    def __call__(self, argv: Any, known_only: bool = False) -> Any:
        return _flags.FLAGS(argv, known_only=known_only)


FLAGS = exported(v1=["flags.FLAGS"])(_Flags())


def _define(define: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an absl function so that its first three arguments may also have TensorFlow's names."""

    def defined(*args: Any, **kwargs: Any) -> Any:
        for old, new in (("flag_name", "name"), ("default_value", "default"), ("docstring", "help")):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        return define(*args, **kwargs)

    defined.__doc__ = (define.__doc__ or "").partition("\n")[0]  # the rest of it names absl's own parameters
    return defined


DEFINE_string = exported(v1=["flags.DEFINE_string"])(_define(_flags.DEFINE_string))
DEFINE_boolean = DEFINE_bool = exported(v1=["flags.DEFINE_bool", "flags.DEFINE_boolean"])(
    _define(_flags.DEFINE_boolean)
)
DEFINE_integer = exported(v1=["flags.DEFINE_integer"])(_define(_flags.DEFINE_integer))
DEFINE_float = exported(v1=["flags.DEFINE_float"])(_define(_flags.DEFINE_float))
