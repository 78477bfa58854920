"""tf.keras.layers.experimental: old names of layers."""

import functools as _functools

from keras.layers import BatchNormalization as _BatchNormalization
from keras.layers import EinsumDense as EinsumDense

import stratagem.keras.layers.experimental.preprocessing  # noqa: F401

SyncBatchNormalization = _functools.partial(_BatchNormalization, synchronized=True)
