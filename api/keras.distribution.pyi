"""tf.keras.distribution: the names of Keras 3."""

from keras.distribution import *
