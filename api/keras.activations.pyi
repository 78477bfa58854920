"""tf.keras.activations: the names of Keras 3."""

from keras.activations import *
