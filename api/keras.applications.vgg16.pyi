"""tf.keras.applications.vgg16: the names of Keras 3."""

from keras.applications.vgg16 import *
