"""tf.keras.distribution: Keras'."""

from keras.distribution import *
