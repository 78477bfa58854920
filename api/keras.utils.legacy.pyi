"""tf.keras.utils.legacy: the names of Keras 3."""

from keras.utils.legacy import *
