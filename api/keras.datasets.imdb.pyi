"""tf.keras.datasets.imdb: Keras'."""

from keras.datasets.imdb import *
