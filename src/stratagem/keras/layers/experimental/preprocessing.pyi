# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Layer as _keras_Layer
from stratagem.keras.layers import CategoryEncoding as CategoryEncoding
from stratagem.keras.layers import CenterCrop as CenterCrop
from stratagem.keras.layers import Discretization as Discretization
from stratagem.keras.layers import HashedCrossing as HashedCrossing
from stratagem.keras.layers import Hashing as Hashing
from stratagem.keras.layers import IntegerLookup as IntegerLookup
from stratagem.keras.layers import Normalization as Normalization
from stratagem.keras.layers import RandomContrast as RandomContrast
from stratagem.keras.layers import RandomCrop as RandomCrop
from stratagem.keras.layers import RandomFlip as RandomFlip
from stratagem.keras.layers import RandomHeight as RandomHeight
from stratagem.keras.layers import RandomRotation as RandomRotation
from stratagem.keras.layers import RandomTranslation as RandomTranslation
from stratagem.keras.layers import RandomWidth as RandomWidth
from stratagem.keras.layers import RandomZoom as RandomZoom
from stratagem.keras.layers import Rescaling as Rescaling
from stratagem.keras.layers import Resizing as Resizing
from stratagem.keras.layers import StringLookup as StringLookup
from stratagem.keras.layers import TextVectorization as TextVectorization

__all__ = [
    "CategoryEncoding", "CenterCrop", "Discretization", "HashedCrossing", "Hashing", "IntegerLookup", "Normalization",
    "PreprocessingLayer", "RandomContrast", "RandomCrop", "RandomFlip", "RandomHeight", "RandomRotation",
    "RandomTranslation", "RandomWidth", "RandomZoom", "Rescaling", "Resizing", "StringLookup", "TextVectorization"
]  # fmt: skip

class PreprocessingLayer(_keras_Layer):
    def __init__(self, **kwargs: Any) -> None: ...
    @property
    def is_adapted(self) -> bool: ...
    def compile(self, run_eagerly: Any = None, steps_per_execution: Any = None) -> None: ...
    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None: ...
    @property
    def weights(self) -> Any: ...
    def learned_weights(self) -> Any: ...
    def host_arrays(self) -> Any: ...
    def learned_beside_variables(self) -> bool: ...
    def update_state(self, data: Any) -> None: ...
    def reset_state(self) -> None: ...
    def finalize_state(self) -> None: ...
    def learned(self) -> Any: ...
    def merge(self, states: Any) -> None: ...
    def kept(self) -> Any: ...
    def take_up(self, state: Any) -> None: ...
