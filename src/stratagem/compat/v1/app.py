"""tf.compat.v1.app: the main function of a program, with absl's flags."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import absl.app

from stratagem.compat.v1 import flags as flags


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parse the flags, call `main` (that of the program's own module) with the arguments that are left, and exit."""
    absl.app.run(main or sys.modules["__main__"].main, None if argv is None else list(argv), flags_parser=_parsed)


def _parsed(argv: list[str]) -> list[str]:
    """Flags that nobody defined stay, as in TensorFlow. Wrong values end the program with one line and code 1."""
    try:
        left: list[str] = absl.flags.FLAGS(argv, known_only=True)
    except absl.flags.Error as error:
        sys.exit(f"{argv[0]}: {error}. --helpshort lists the program's flags.")
    return left
