"""tf.keras.config: Keras'."""

from keras.config import *
