"""tf.keras.legacy: the names of Keras 3."""

from keras.legacy import *
