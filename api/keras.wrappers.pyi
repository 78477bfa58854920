"""tf.keras.wrappers: the names of Keras 3."""

from keras.wrappers import *
