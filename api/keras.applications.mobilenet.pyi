"""tf.keras.applications.mobilenet: the names of Keras 3."""

from keras.applications.mobilenet import *
