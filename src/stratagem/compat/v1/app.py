"""tf.compat.v1.app: runs a program's main function with absl's flags."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import absl.app

from stratagem.compat.v1 import flags as flags


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags, calls `main` (by default the program's own) with the remaining arguments, and exits."""
    absl.app.run(main or sys.modules["__main__"].main, None if argv is None else list(argv), flags_parser=_parsed)


def _parsed(argv: list[str]) -> list[str]:
    """Parses the flags. Passes undefined ones on, as TensorFlow does; a wrong value ends the program with exit code 1."""
    try:
        left: list[str] = absl.flags.FLAGS(argv, known_only=True)
    except absl.flags.Error as error:
        sys.exit(f"{argv[0]}: {error}. --helpshort lists the program's flags.")
    return left
