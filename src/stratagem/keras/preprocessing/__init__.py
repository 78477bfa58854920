"""tf.keras.preprocessing: what prepares images, texts and sequences."""

import keras.preprocessing as _keras_preprocessing
from keras.preprocessing import *

from stratagem._data.files import image_dataset_from_directory as image_dataset_from_directory
from stratagem._data.files import text_dataset_from_directory as text_dataset_from_directory
from stratagem._data.files import timeseries_dataset_from_array as timeseries_dataset_from_array

__path__.extend(_keras_preprocessing.__path__)

import stratagem.keras.preprocessing.image  # noqa: E402
import stratagem.keras.preprocessing.sequence  # noqa: E402
import stratagem.keras.preprocessing.text  # noqa: E402, F401
