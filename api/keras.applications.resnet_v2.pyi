"""tf.keras.applications.resnet_v2: the names of Keras 3."""

from keras.applications.resnet_v2 import *
