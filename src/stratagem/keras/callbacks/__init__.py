"""tf.keras.callbacks: Keras 3's callbacks; a TensorBoard that knows a job's workers, learning rates that logs call `lr`."""

import keras.callbacks as _keras_callbacks
from keras.callbacks import *

from stratagem._training import LearningRateScheduler as LearningRateScheduler
from stratagem._training import ReduceLROnPlateau as ReduceLROnPlateau
from stratagem._training import TensorBoard as TensorBoard

__path__.extend(_keras_callbacks.__path__)

import stratagem.keras.callbacks.experimental  # noqa: E402, F401
