"""tf.keras.layers: Keras 3's layers, and TensorFlow's old names of some."""

import keras.layers as _keras_layers
from keras.layers import *

from stratagem._columns import DenseFeatures as DenseFeatures
from stratagem._legacy import AbstractRNNCell as AbstractRNNCell
from stratagem._legacy import ThresholdedReLU as ThresholdedReLU
from stratagem._preprocessing import CategoryEncoding as CategoryEncoding
from stratagem._preprocessing import Discretization as Discretization
from stratagem._preprocessing import HashedCrossing as HashedCrossing
from stratagem._preprocessing import Hashing as Hashing
from stratagem._preprocessing import IntegerLookup as IntegerLookup
from stratagem._preprocessing import Normalization as Normalization
from stratagem._preprocessing import RandomCrop as RandomCrop
from stratagem._preprocessing import RandomHeight as RandomHeight
from stratagem._preprocessing import RandomWidth as RandomWidth
from stratagem._preprocessing import StringLookup as StringLookup
from stratagem._preprocessing import TextVectorization as TextVectorization
from stratagem._saved_models import TFSMLayer as TFSMLayer

__path__.extend(_keras_layers.__path__)

import stratagem.keras.layers.experimental  # noqa: E402, F401
