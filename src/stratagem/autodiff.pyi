# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._core.step import ForwardAccumulator as ForwardAccumulator
from stratagem._core.step import GradientTape as GradientTape

__all__ = [
    "ForwardAccumulator", "GradientTape"
]  # fmt: skip
