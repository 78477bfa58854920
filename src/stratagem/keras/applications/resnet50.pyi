# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.applications import ResNet50 as ResNet50
from stratagem.keras.applications.resnet import decode_predictions as decode_predictions
from stratagem.keras.applications.resnet import preprocess_input as preprocess_input

__all__ = [
    "ResNet50", "decode_predictions", "preprocess_input"
]  # fmt: skip
