"""tf.keras.regularizers: Keras'."""

from keras.regularizers import *
