"""tf.keras.applications.inception_v3: Keras'."""

from keras.applications.inception_v3 import *
