# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.addons import activations as activations
from stratagem.addons import callbacks as callbacks
from stratagem.addons import image as image
from stratagem.addons import layers as layers
from stratagem.addons import losses as losses
from stratagem.addons import metrics as metrics
from stratagem.addons import optimizers as optimizers

__version__: str

__all__ = [
    "__version__", "activations", "callbacks", "image", "layers", "losses", "metrics", "optimizers"
]  # fmt: skip
