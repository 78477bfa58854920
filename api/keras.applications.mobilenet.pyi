"""tf.keras.applications.mobilenet: Keras'."""

from keras.applications.mobilenet import *
