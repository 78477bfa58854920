"""tf.keras.applications.inception_v3: the names of Keras 3."""

from keras.applications.inception_v3 import *
