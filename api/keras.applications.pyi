"""tf.keras.applications: the names of Keras 3."""

from keras.applications import *
