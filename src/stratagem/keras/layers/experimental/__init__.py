"""tf.keras.layers.experimental: old names of layers."""

from keras.layers import EinsumDense as EinsumDense

import stratagem.keras.layers.experimental.preprocessing  # noqa: F401
from stratagem._legacy import SyncBatchNormalization as SyncBatchNormalization
