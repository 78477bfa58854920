"""tf.keras.applications.mobilenet_v2: the names of Keras 3."""

from keras.applications.mobilenet_v2 import *
