"""tf.keras.datasets.cifar100: the names of Keras 3."""

from keras.datasets.cifar100 import *
