"""The start of a program of TensorFlow 1."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from absl import app, flags

from stratagem._base.exports import exported


@exported(v1=["app.run"])
def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags, calls `main` (by default the program's own) with the remaining arguments, and exits."""
    app.run(main or sys.modules["__main__"].main, None if argv is None else list(argv), flags_parser=_parsed)


def _parsed(argv: list[str]) -> list[str]:
    """Parses the flags. Passes undefined ones on, as TensorFlow does; a wrong value ends the program with exit code 1."""
    try:
        left: list[str] = flags.FLAGS(argv, known_only=True)
    except flags.Error as error:
        sys.exit(f"{argv[0]}: {error}. --helpshort lists the program's flags.")
    return left
