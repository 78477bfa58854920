"""tf.keras.constraints: the names of Keras 3."""

from keras.constraints import *
