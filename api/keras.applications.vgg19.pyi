"""tf.keras.applications.vgg19: Keras'."""

from keras.applications.vgg19 import *
