"""tf.keras.ops.linalg: Keras'."""

from keras.ops.linalg import *
