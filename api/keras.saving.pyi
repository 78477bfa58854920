"""tf.keras.saving: the names of Keras 3."""

from keras.saving import *
