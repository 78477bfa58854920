"""tf.keras.utils: the names of Keras 3, and TensorFlow's names that Keras 3 has dropped."""

from keras.utils import *
