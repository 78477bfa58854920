# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.layers import BatchNormalization as _layers_BatchNormalization
from stratagem.keras.layers import EinsumDense as EinsumDense
from stratagem.keras.layers.experimental import preprocessing as preprocessing

__all__ = [
    "EinsumDense", "SyncBatchNormalization", "preprocessing"
]  # fmt: skip

class SyncBatchNormalization(_layers_BatchNormalization):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
