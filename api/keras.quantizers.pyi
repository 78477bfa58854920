"""tf.keras.quantizers: Keras'."""

from keras.quantizers import *
