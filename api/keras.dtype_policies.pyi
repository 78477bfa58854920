"""tf.keras.dtype_policies: Keras'."""

from keras.dtype_policies import *
