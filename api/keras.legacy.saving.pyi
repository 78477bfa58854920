"""tf.keras.legacy.saving: Keras'."""

from keras.legacy.saving import *
