# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import DenseNet121 as DenseNet121
from stratagem.keras.applications import DenseNet169 as DenseNet169
from stratagem.keras.applications import DenseNet201 as DenseNet201

__all__ = [
    "DenseNet121", "DenseNet169", "DenseNet201", "decode_predictions", "preprocess_input"
]  # fmt: skip

def decode_predictions(preds: Any, top: Any = 5) -> Any: ...
def preprocess_input(x: Any, data_format: Any = None) -> Any: ...
