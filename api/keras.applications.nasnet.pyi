"""tf.keras.applications.nasnet: Keras'."""

from keras.applications.nasnet import *
