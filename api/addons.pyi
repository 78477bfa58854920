"""TensorFlow Addons: `import stratagem.addons as tfa`."""

import stratagem._addons

__version__ = "0.23.0"
