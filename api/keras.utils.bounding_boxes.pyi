"""tf.keras.utils.bounding_boxes: Keras'."""

from keras.utils.bounding_boxes import *
