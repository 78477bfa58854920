"""tf.keras.preprocessing.text: texts: their tokenizer, which Keras 3 offers to programs of TensorFlow only."""

from keras._tf_keras.keras.preprocessing.text import *
