"""tf.keras.utils: Keras 3's, and the names of TensorFlow that it lost."""

import keras.utils as _keras_utils
from keras.utils import *

from stratagem._training import SidecarEvaluator as SidecarEvaluator

__path__.extend(_keras_utils.__path__)

import stratagem.keras.utils.experimental  # noqa: E402, F401
