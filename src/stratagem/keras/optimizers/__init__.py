"""tf.keras.optimizers: Keras 3's optimizers, and TensorFlow's earlier ones."""

import keras.optimizers as _keras_optimizers
from keras.optimizers import *

__path__.extend(_keras_optimizers.__path__)

import stratagem.keras.optimizers.experimental  # noqa: E402
import stratagem.keras.optimizers.legacy  # noqa: E402, F401
