# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import ResNet50V2 as ResNet50V2
from stratagem.keras.applications import ResNet101V2 as ResNet101V2
from stratagem.keras.applications import ResNet152V2 as ResNet152V2

__all__ = [
    "ResNet101V2", "ResNet152V2", "ResNet50V2", "decode_predictions", "preprocess_input"
]  # fmt: skip

def decode_predictions(preds: Any, top: Any = 5) -> Any: ...
def preprocess_input(x: Any, data_format: Any = None) -> Any: ...
