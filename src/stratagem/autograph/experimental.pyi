# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._autograph import Feature as Feature
from stratagem._autograph import do_not_convert as do_not_convert
from stratagem._autograph import set_loop_options as set_loop_options

__all__ = [
    "Feature", "do_not_convert", "set_loop_options"
]  # fmt: skip
