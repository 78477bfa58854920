"""tf.keras.ops.linalg: the names of Keras 3."""

from keras.ops.linalg import *
