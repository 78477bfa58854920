"""tf.compat.v1.app: runs a program's main function with absl's flags."""

import sys as _sys
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from absl import app as _app
from absl import flags as _flags

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem.compat.v1 import flags as flags

__getattr__ = _not_provided_in("compat.v1.app")


def run(main: _Callable[[list[str]], _Any] | None = None, argv: _Sequence[str] | None = None) -> None:
    """Parses the flags, calls `main` (by default the program's own) with the remaining arguments, and exits."""
    _app.run(main or _sys.modules["__main__"].main, None if argv is None else list(argv), flags_parser=_parsed)


def _parsed(argv: list[str]) -> list[str]:
    """Parses the flags. Passes undefined ones on, as TensorFlow does; a wrong value ends the program with exit code 1."""
    try:
        left: list[str] = _flags.FLAGS(argv, known_only=True)
    except _flags.Error as error:
        _sys.exit(f"{argv[0]}: {error}. --helpshort lists the program's flags.")
    return left
