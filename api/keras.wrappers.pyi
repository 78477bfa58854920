"""tf.keras.wrappers: Keras'."""

from keras.wrappers import *
