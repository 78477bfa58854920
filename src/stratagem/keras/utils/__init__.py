"""tf.keras.utils: the names of Keras 3, and TensorFlow's names that Keras 3 has dropped."""

import keras.utils as _keras_utils
from keras.utils import *

from stratagem._data.files import image_dataset_from_directory as image_dataset_from_directory
from stratagem._data.files import text_dataset_from_directory as text_dataset_from_directory
from stratagem._data.files import timeseries_dataset_from_array as timeseries_dataset_from_array
from stratagem._tf1.graph import DeterministicRandomTestTool as DeterministicRandomTestTool
from stratagem._tf1.graph import get_or_create_layer as get_or_create_layer
from stratagem._tf1.graph import track_tf1_style_variables as track_tf1_style_variables
from stratagem._training import SidecarEvaluator as SidecarEvaluator

__path__.extend(_keras_utils.__path__)

import stratagem.keras.utils.experimental  # noqa: E402, F401
