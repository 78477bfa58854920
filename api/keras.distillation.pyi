"""tf.keras.distillation: Keras'."""

from keras.distillation import *
