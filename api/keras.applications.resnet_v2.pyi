"""tf.keras.applications.resnet_v2: Keras'."""

from keras.applications.resnet_v2 import *
