"""tf.keras.optimizers.schedules: Keras'."""

from keras.optimizers.schedules import *
