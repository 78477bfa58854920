"""tf.keras.dtype_policies: the names of Keras 3."""

from keras.dtype_policies import *
