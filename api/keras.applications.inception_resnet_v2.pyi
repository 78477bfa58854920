"""tf.keras.applications.inception_resnet_v2: the names of Keras 3."""

from keras.applications.inception_resnet_v2 import *
