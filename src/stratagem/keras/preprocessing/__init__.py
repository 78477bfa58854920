"""tf.keras.preprocessing: what prepares images, texts and sequences."""

import keras.preprocessing as _keras_preprocessing
from keras.preprocessing import *

__path__.extend(_keras_preprocessing.__path__)

import stratagem.keras.preprocessing.image  # noqa: E402
import stratagem.keras.preprocessing.sequence  # noqa: E402
import stratagem.keras.preprocessing.text  # noqa: E402, F401
