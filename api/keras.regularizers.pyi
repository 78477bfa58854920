"""tf.keras.regularizers: the names of Keras 3."""

from keras.regularizers import *
