"""tf.keras.applications.convnext: Keras'."""

from keras.applications.convnext import *
