"""tf.keras.layers: Keras 3's layers, and TensorFlow's old names of some."""

import keras.layers as _keras_layers
from keras.layers import *

from stratagem._legacy import AbstractRNNCell as AbstractRNNCell
from stratagem._legacy import ThresholdedReLU as ThresholdedReLU

__path__.extend(_keras_layers.__path__)

import stratagem.keras.layers.experimental  # noqa: E402, F401
