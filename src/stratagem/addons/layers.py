"""tfa.layers: layers."""

from keras.layers import AdaptiveAveragePooling1D as AdaptiveAveragePooling1D
from keras.layers import AdaptiveAveragePooling2D as AdaptiveAveragePooling2D
from keras.layers import AdaptiveAveragePooling3D as AdaptiveAveragePooling3D
from keras.layers import AdaptiveMaxPooling1D as AdaptiveMaxPooling1D
from keras.layers import AdaptiveMaxPooling2D as AdaptiveMaxPooling2D
from keras.layers import AdaptiveMaxPooling3D as AdaptiveMaxPooling3D
from keras.layers import GroupNormalization as GroupNormalization
from keras.layers import SpectralNormalization as SpectralNormalization

from stratagem import _hooks
from stratagem._addons import GELU as GELU
from stratagem._addons import FilterResponseNormalization as FilterResponseNormalization
from stratagem._addons import InstanceNormalization as InstanceNormalization
from stratagem._addons import Maxout as Maxout
from stratagem._addons import Snake as Snake
from stratagem._addons import Sparsemax as Sparsemax
from stratagem._addons import StochasticDepth as StochasticDepth
from stratagem._addons import WeightNormalization as WeightNormalization
from stratagem._addons import not_in_addons as _not_in_addons

_hooks.install()
__getattr__ = _not_in_addons("layers")
