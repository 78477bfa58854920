"""tf.keras.preprocessing.sequence: sequences."""

from keras._tf_keras.keras.preprocessing.sequence import *
