"""tf.keras.initializers: Keras'."""

from keras.initializers import *
