# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.estimator import model_to_estimator as model_to_estimator

__all__ = [
    "model_to_estimator"
]  # fmt: skip
