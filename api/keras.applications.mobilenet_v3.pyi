"""tf.keras.applications.mobilenet_v3: Keras'."""

from keras.applications.mobilenet_v3 import *
