"""tf.keras.callbacks: Keras 3's callbacks; a TensorBoard that knows a job's workers, learning rates that logs call `lr`."""

from keras.callbacks import *
