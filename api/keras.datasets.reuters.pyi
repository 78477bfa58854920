"""tf.keras.datasets.reuters: Keras'."""

from keras.datasets.reuters import *
