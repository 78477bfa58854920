"""tf.keras.legacy: Keras'."""

from keras.legacy import *
