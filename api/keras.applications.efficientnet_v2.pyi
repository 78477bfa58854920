"""tf.keras.applications.efficientnet_v2: Keras'."""

from keras.applications.efficientnet_v2 import *
