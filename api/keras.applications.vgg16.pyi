"""tf.keras.applications.vgg16: Keras'."""

from keras.applications.vgg16 import *
