"""tf.keras.visualization: the names of Keras 3."""

from keras.visualization import *
