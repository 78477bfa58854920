"""tf.keras.applications.inception_resnet_v2: Keras'."""

from keras.applications.inception_resnet_v2 import *
