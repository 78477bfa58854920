"""tf.keras.visualization: Keras'."""

from keras.visualization import *
