"""tf.keras.applications.resnet50: Keras'."""

from keras.applications.resnet50 import *
