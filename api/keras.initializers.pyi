"""tf.keras.initializers: the names of Keras 3."""

from keras.initializers import *
