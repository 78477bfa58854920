"""tf.keras.applications.nasnet: the names of Keras 3."""

from keras.applications.nasnet import *
