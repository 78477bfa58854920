"""tf.keras.random: the names of Keras 3."""

from keras.random import *
