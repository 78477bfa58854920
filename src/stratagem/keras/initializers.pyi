# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Initializer as Initializer
from stratagem.keras import Initializer as _keras_Initializer
from stratagem.keras.initializers import STFT as STFTInitializer
from stratagem.keras.initializers import STFT as stft
from stratagem.keras.initializers import Constant as constant
from stratagem.keras.initializers import GlorotNormal as glorot_normal
from stratagem.keras.initializers import GlorotUniform as glorot_uniform
from stratagem.keras.initializers import HeNormal as he_normal
from stratagem.keras.initializers import HeUniform as he_uniform
from stratagem.keras.initializers import Identity as IdentityInitializer
from stratagem.keras.initializers import Identity as identity
from stratagem.keras.initializers import LecunNormal as lecun_normal
from stratagem.keras.initializers import LecunUniform as lecun_uniform
from stratagem.keras.initializers import Ones as ones
from stratagem.keras.initializers import Orthogonal as OrthogonalInitializer
from stratagem.keras.initializers import Orthogonal as orthogonal
from stratagem.keras.initializers import RandomNormal as random_normal
from stratagem.keras.initializers import RandomUniform as random_uniform
from stratagem.keras.initializers import TruncatedNormal as truncated_normal
from stratagem.keras.initializers import VarianceScaling as variance_scaling
from stratagem.keras.initializers import Zeros as zeros

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "IdentityInitializer",
    "Initializer", "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "OrthogonalInitializer", "RandomNormal",
    "RandomUniform", "STFT", "STFTInitializer", "TruncatedNormal", "VarianceScaling", "Zeros", "constant",
    "deserialize", "get", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal",
    "lecun_uniform", "ones", "orthogonal", "random_normal", "random_uniform", "serialize", "stft", "truncated_normal",
    "variance_scaling", "zeros"
]  # fmt: skip

class Constant(_keras_Initializer):
    value: Any
    def __init__(self, value: Any = 0.0) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class Identity(_keras_Initializer):
    gain: Any
    def __init__(self, gain: Any = 1.0) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...

class Ones(_keras_Initializer):
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...

class STFT(_keras_Initializer):
    periodic: Any
    scaling: Any
    side: Any
    window: Any
    def __init__(
        self, side: Any = "real", window: Any = "hann", scaling: Any = "density", periodic: Any = False
    ) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class Zeros(_keras_Initializer):
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...

class Orthogonal(_keras_Initializer):
    gain: Any
    seed: Any
    def __init__(self, gain: Any = 1.0, seed: Any = None) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class RandomNormal(_keras_Initializer):
    mean: Any
    seed: Any
    stddev: Any
    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class RandomUniform(_keras_Initializer):
    maxval: Any
    minval: Any
    seed: Any
    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class TruncatedNormal(_keras_Initializer):
    mean: Any
    seed: Any
    stddev: Any
    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class VarianceScaling(_keras_Initializer):
    distribution: Any
    input_axes: Any
    mode: Any
    output_axes: Any
    scale: Any
    seed: Any
    def __init__(
        self,
        scale: Any = 1.0,
        mode: Any = "fan_in",
        distribution: Any = "truncated_normal",
        seed: Any = None,
        input_axes: Any = None,
        output_axes: Any = None,
    ) -> None: ...
    def __call__(self, shape: Any, dtype: Any = None) -> Any: ...
    def get_config(self) -> Any: ...

class GlorotNormal(VarianceScaling):
    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class GlorotUniform(VarianceScaling):
    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class HeNormal(VarianceScaling):
    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class HeUniform(VarianceScaling):
    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class LecunNormal(VarianceScaling):
    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None: ...
    def get_config(self) -> Any: ...

class LecunUniform(VarianceScaling):
    def __init__(self, seed: Any = None, input_axes: Any = None, output_axes: Any = None) -> None: ...
    def get_config(self) -> Any: ...

def deserialize(config: Any, custom_objects: Any = None) -> Any: ...
def get(identifier: Any) -> Any: ...
def serialize(initializer: Any) -> Any: ...
