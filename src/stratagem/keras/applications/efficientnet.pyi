# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import EfficientNetB0 as EfficientNetB0
from stratagem.keras.applications import EfficientNetB1 as EfficientNetB1
from stratagem.keras.applications import EfficientNetB2 as EfficientNetB2
from stratagem.keras.applications import EfficientNetB3 as EfficientNetB3
from stratagem.keras.applications import EfficientNetB4 as EfficientNetB4
from stratagem.keras.applications import EfficientNetB5 as EfficientNetB5
from stratagem.keras.applications import EfficientNetB6 as EfficientNetB6
from stratagem.keras.applications import EfficientNetB7 as EfficientNetB7

__all__ = [
    "EfficientNetB0", "EfficientNetB1", "EfficientNetB2", "EfficientNetB3", "EfficientNetB4", "EfficientNetB5",
    "EfficientNetB6", "EfficientNetB7", "decode_predictions", "preprocess_input"
]  # fmt: skip

def decode_predictions(preds: Any, top: Any = 5) -> Any: ...
def preprocess_input(x: Any, data_format: Any = None) -> Any: ...
