"""Keras' layers in files of models, which are read as ours; Keras' methods that know what layers have learned."""

from stratagem._preprocessing._categories import CategoryEncoding
from stratagem._preprocessing._discretization import Discretization
from stratagem._preprocessing._hashing import HashedCrossing, Hashing
from stratagem._preprocessing._layer_weights import set_weights
from stratagem._preprocessing._learned_weights import is_parameter
from stratagem._preprocessing._lookups import IntegerLookup, StringLookup
from stratagem._preprocessing._normalization import Normalization
from stratagem._preprocessing._random_crop import RandomCrop
from stratagem._preprocessing._random_sizes import RandomHeight, RandomWidth
from stratagem._preprocessing._text_vectorization import TextVectorization
from stratagem._private import read_layers_as, weigh_layers

_LAYERS = (
    CategoryEncoding,
    Discretization,
    HashedCrossing,
    Hashing,
    IntegerLookup,
    Normalization,
    RandomCrop,
    RandomHeight,
    RandomWidth,
    StringLookup,
    TextVectorization,
)


def attach_layers() -> None:
    """Let files of Keras 2 and 3 that name a layer of Keras' be read with ours, which need no TensorFlow."""
    read_layers_as({cls.__name__: cls for cls in _LAYERS})


def attach_weights() -> None:
    """Let `set_weights` of any layer or model set what layers have learned, too, and let summaries count none of it."""
    weigh_layers(set_weights, is_parameter)
