"""tf.keras.distillation: the names of Keras 3."""

from keras.distillation import *
