"""tf.keras.mixed_precision: the names of Keras 3."""

from keras.mixed_precision import *
