"""tf.keras.applications.xception: Keras'."""

from keras.applications.xception import *
