# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import InceptionV3 as InceptionV3

__all__ = [
    "InceptionV3", "decode_predictions", "preprocess_input"
]  # fmt: skip

def decode_predictions(preds: Any, top: Any = 5) -> Any: ...
def preprocess_input(x: Any, data_format: Any = None) -> Any: ...
