"""tf.keras.models: the names of Keras 3."""

from keras.models import *
