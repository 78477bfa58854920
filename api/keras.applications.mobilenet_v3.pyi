"""tf.keras.applications.mobilenet_v3: the names of Keras 3."""

from keras.applications.mobilenet_v3 import *
