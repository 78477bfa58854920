# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.legacy.saving import deserialize_keras_object as deserialize_keras_object
from stratagem.keras.legacy.saving import serialize_keras_object as serialize_keras_object

__all__ = [
    "deserialize_keras_object", "serialize_keras_object"
]  # fmt: skip
