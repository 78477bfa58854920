"""tf.keras.callbacks: Keras 3's callbacks, with a TensorBoard of our own that knows the workers of a job."""

import keras.callbacks as _keras_callbacks
from keras.callbacks import *

from stratagem._training import TensorBoard as TensorBoard

__path__.extend(_keras_callbacks.__path__)

import stratagem.keras.callbacks.experimental  # noqa: E402, F401
