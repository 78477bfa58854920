"""tf.keras.datasets.imdb: the names of Keras 3."""

from keras.datasets.imdb import *
