"""tf.keras.ops.numpy: the names of Keras 3."""

from keras.ops.numpy import *
