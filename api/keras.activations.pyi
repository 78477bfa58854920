"""tf.keras.activations: Keras'."""

from keras.activations import *
