"""tf.keras.ops: Keras'."""

from keras.ops import *
