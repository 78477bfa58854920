"""tf.keras.applications.densenet: Keras'."""

from keras.applications.densenet import *
