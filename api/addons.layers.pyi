"""tfa.layers: layers."""

from keras.layers import AdaptiveAveragePooling1D as AdaptiveAveragePooling1D
from keras.layers import AdaptiveAveragePooling2D as AdaptiveAveragePooling2D
from keras.layers import AdaptiveAveragePooling3D as AdaptiveAveragePooling3D
from keras.layers import AdaptiveMaxPooling1D as AdaptiveMaxPooling1D
from keras.layers import AdaptiveMaxPooling2D as AdaptiveMaxPooling2D
from keras.layers import AdaptiveMaxPooling3D as AdaptiveMaxPooling3D
from keras.layers import GroupNormalization as GroupNormalization
from keras.layers import SpectralNormalization as SpectralNormalization
