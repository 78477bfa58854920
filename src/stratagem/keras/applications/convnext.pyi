# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import ConvNeXtBase as ConvNeXtBase
from stratagem.keras.applications import ConvNeXtLarge as ConvNeXtLarge
from stratagem.keras.applications import ConvNeXtSmall as ConvNeXtSmall
from stratagem.keras.applications import ConvNeXtTiny as ConvNeXtTiny
from stratagem.keras.applications import ConvNeXtXLarge as ConvNeXtXLarge

__all__ = [
    "ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtSmall", "ConvNeXtTiny", "ConvNeXtXLarge", "decode_predictions",
    "preprocess_input"
]  # fmt: skip

def decode_predictions(preds: Any, top: Any = 5) -> Any: ...
def preprocess_input(x: Any, data_format: Any = None) -> Any: ...
