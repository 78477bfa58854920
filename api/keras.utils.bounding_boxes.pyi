"""tf.keras.utils.bounding_boxes: the names of Keras 3."""

from keras.utils.bounding_boxes import *
