"""tf.keras.applications.efficientnet: Keras'."""

from keras.applications.efficientnet import *
