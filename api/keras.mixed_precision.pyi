"""tf.keras.mixed_precision: Keras'."""

from keras.mixed_precision import *
