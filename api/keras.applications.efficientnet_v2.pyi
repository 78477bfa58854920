"""tf.keras.applications.efficientnet_v2: the names of Keras 3."""

from keras.applications.efficientnet_v2 import *
