"""tf.keras.applications.efficientnet: the names of Keras 3."""

from keras.applications.efficientnet import *
