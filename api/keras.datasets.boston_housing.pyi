"""tf.keras.datasets.boston_housing: the names of Keras 3."""

from keras.datasets.boston_housing import *
