"""tf.compat.v1.flags: absl's flags, which are parsed when one of them is first read."""

import sys
from collections.abc import Callable
from typing import Any

from absl import flags

flags.disclaim_key_flags()  # a flag belongs to the module that defines it with these functions


class _Flags:
    """`FLAGS` for programs that may never call `app.run`: as in TensorFlow, reading a flag parses the command line."""

    def __getattr__(self, name: str) -> Any:
        if not flags.FLAGS.is_parsed():
            flags.FLAGS(sys.argv, known_only=True)
        return getattr(flags.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(flags.FLAGS, name)

    def __call__(self, argv: Any, known_only: bool = False) -> Any:
        return flags.FLAGS(argv, known_only=known_only)


FLAGS = _Flags()


def _define(define: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an absl function so that its first three arguments may also have TensorFlow's names."""

    def defined(*args: Any, **kwargs: Any) -> Any:
        for old, new in (("flag_name", "name"), ("default_value", "default"), ("docstring", "help")):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
        return define(*args, **kwargs)

    return defined


DEFINE_string = _define(flags.DEFINE_string)
DEFINE_boolean = DEFINE_bool = _define(flags.DEFINE_boolean)
DEFINE_integer = _define(flags.DEFINE_integer)
DEFINE_float = _define(flags.DEFINE_float)


def __getattr__(name: str) -> Any:
    return getattr(flags, name)
