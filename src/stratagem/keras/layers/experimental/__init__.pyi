# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._legacy import SyncBatchNormalization as SyncBatchNormalization
from stratagem.keras.layers import EinsumDense as EinsumDense
from stratagem.keras.layers.experimental import preprocessing as preprocessing

__all__ = [
    "EinsumDense", "SyncBatchNormalization", "preprocessing"
]  # fmt: skip
