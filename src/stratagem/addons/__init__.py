"""TensorFlow Addons: `import stratagem.addons as tfa`."""

from stratagem import _hooks
from stratagem._addons import not_in_addons as _not_in_addons
from stratagem.addons import activations as activations
from stratagem.addons import callbacks as callbacks
from stratagem.addons import image as image
from stratagem.addons import layers as layers
from stratagem.addons import losses as losses
from stratagem.addons import metrics as metrics
from stratagem.addons import optimizers as optimizers

_hooks.install()
__version__ = "0.23.0"  # of which it has a part
__getattr__ = _not_in_addons("")
