"""tf.keras.applications.mobilenet_v2: Keras'."""

from keras.applications.mobilenet_v2 import *
