"""tf.keras.preprocessing: what prepares images, texts and sequences."""

from keras.preprocessing import *
