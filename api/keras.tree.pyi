"""tf.keras.tree: Keras'."""

from keras.tree import *
