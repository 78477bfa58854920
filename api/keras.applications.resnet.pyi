"""tf.keras.applications.resnet: the names of Keras 3."""

from keras.applications.resnet import *
