"""tf.keras.applications.convnext: the names of Keras 3."""

from keras.applications.convnext import *
