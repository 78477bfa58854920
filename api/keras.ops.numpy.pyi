"""tf.keras.ops.numpy: Keras'."""

from keras.ops.numpy import *
