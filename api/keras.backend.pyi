"""tf.keras.backend: Keras 3's settings, and the functions of Keras 2's backend."""

from keras.backend import *
