"""tf.keras.applications: Keras'."""

from keras.applications import *
