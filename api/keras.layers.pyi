"""tf.keras.layers: Keras 3's layers, and TensorFlow's old names of some."""

from keras.layers import *
