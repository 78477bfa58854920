# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras.applications import EfficientNetV2B0 as EfficientNetV2B0
from stratagem.keras.applications import EfficientNetV2B1 as EfficientNetV2B1
from stratagem.keras.applications import EfficientNetV2B2 as EfficientNetV2B2
from stratagem.keras.applications import EfficientNetV2B3 as EfficientNetV2B3
from stratagem.keras.applications import EfficientNetV2L as EfficientNetV2L
from stratagem.keras.applications import EfficientNetV2M as EfficientNetV2M
from stratagem.keras.applications import EfficientNetV2S as EfficientNetV2S

__all__ = [
    "EfficientNetV2B0", "EfficientNetV2B1", "EfficientNetV2B2", "EfficientNetV2B3", "EfficientNetV2L",
    "EfficientNetV2M", "EfficientNetV2S", "decode_predictions", "preprocess_input"
]  # fmt: skip

def decode_predictions(preds: Any, top: Any = 5) -> Any: ...
def preprocess_input(x: Any, data_format: Any = None) -> Any: ...
