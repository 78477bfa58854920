"""tf.keras.optimizers: Keras 3's optimizers, and TensorFlow's earlier ones."""

from keras.optimizers import *
