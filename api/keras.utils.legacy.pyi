"""tf.keras.utils.legacy: Keras'."""

from keras.utils.legacy import *
