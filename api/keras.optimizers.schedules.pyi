"""tf.keras.optimizers.schedules: the names of Keras 3."""

from keras.optimizers.schedules import *
