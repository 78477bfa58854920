"""tf.keras.datasets.cifar10: Keras'."""

from keras.datasets.cifar10 import *
