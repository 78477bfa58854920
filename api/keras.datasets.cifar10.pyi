"""tf.keras.datasets.cifar10: the names of Keras 3."""

from keras.datasets.cifar10 import *
