"""tf.keras.preprocessing.text: texts: their tokenizer, which Keras 3 offers to programs of TensorFlow only."""

from keras._tf_keras.keras.preprocessing.text import *

from stratagem._preprocessing import tokenizer_from_json as tokenizer_from_json
