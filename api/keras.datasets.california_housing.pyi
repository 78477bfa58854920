"""tf.keras.datasets.california_housing: Keras'."""

from keras.datasets.california_housing import *
