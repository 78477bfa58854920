"""tf.keras.datasets.cifar100: Keras'."""

from keras.datasets.cifar100 import *
