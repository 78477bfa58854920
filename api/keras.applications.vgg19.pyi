"""tf.keras.applications.vgg19: the names of Keras 3."""

from keras.applications.vgg19 import *
