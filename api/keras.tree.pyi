"""tf.keras.tree: the names of Keras 3."""

from keras.tree import *
