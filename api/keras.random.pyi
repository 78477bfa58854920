"""tf.keras.random: Keras'."""

from keras.random import *
