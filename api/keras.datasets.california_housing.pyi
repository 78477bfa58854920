"""tf.keras.datasets.california_housing: the names of Keras 3."""

from keras.datasets.california_housing import *
