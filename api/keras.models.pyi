"""tf.keras.models: Keras'."""

from keras.models import *
