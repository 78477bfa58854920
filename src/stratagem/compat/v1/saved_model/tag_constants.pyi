# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.saved_model import GPU as GPU
from stratagem.saved_model import SERVING as SERVING
from stratagem.saved_model import TPU as TPU
from stratagem.saved_model import TRAINING as TRAINING

__all__ = [
    "GPU", "SERVING", "TPU", "TRAINING"
]  # fmt: skip
