"""tf.keras.ops.image: the names of Keras 3."""

from keras.ops.image import *
