"""tf.keras.applications.resnet: Keras'."""

from keras.applications.resnet import *
