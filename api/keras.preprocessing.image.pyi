"""tf.keras.preprocessing.image: images: their generators, which Keras 3 offers to programs of TensorFlow only."""

from keras._tf_keras.keras.preprocessing.image import *
