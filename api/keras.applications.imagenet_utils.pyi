"""tf.keras.applications.imagenet_utils: Keras'."""

from keras.applications.imagenet_utils import *
