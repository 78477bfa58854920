"""tf.keras.applications.resnet50: the names of Keras 3."""

from keras.applications.resnet50 import *
