"""tf.keras.datasets.boston_housing: Keras'."""

from keras.datasets.boston_housing import *
