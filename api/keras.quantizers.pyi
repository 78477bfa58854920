"""tf.keras.quantizers: the names of Keras 3."""

from keras.quantizers import *
