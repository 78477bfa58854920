"""tf.keras.ops.image: Keras'."""

from keras.ops.image import *
