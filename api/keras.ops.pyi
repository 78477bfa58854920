"""tf.keras.ops: the names of Keras 3."""

from keras.ops import *
