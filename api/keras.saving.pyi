"""tf.keras.saving: Keras'."""

from keras.saving import *
