"""tf.keras.constraints: Keras'."""

from keras.constraints import *
