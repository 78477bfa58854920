"""tf.keras.applications.xception: the names of Keras 3."""

from keras.applications.xception import *
