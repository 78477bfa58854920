"""tf.keras.legacy.saving: the names of Keras 3."""

from keras.legacy.saving import *
