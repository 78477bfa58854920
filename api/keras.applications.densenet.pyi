"""tf.keras.applications.densenet: the names of Keras 3."""

from keras.applications.densenet import *
