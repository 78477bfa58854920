"""tf.keras.datasets.reuters: the names of Keras 3."""

from keras.datasets.reuters import *
