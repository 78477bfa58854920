"""tf.keras.ops.nn: the names of Keras 3."""

from keras.ops.nn import *
