"""tf.keras.applications.imagenet_utils: the names of Keras 3."""

from keras.applications.imagenet_utils import *
