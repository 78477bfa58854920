"""tf.keras.config: the names of Keras 3."""

from keras.config import *
