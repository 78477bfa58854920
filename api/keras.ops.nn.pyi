"""tf.keras.ops.nn: Keras'."""

from keras.ops.nn import *
