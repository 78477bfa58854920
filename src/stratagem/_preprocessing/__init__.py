"""Layers that prepare data: vocabularies, hashes, bins, vectors of categories, means.

In: texts, numbers and data sets from which a layer learns its vocabulary, bins or moments.
Out: Keras layers with TensorFlow's names, arguments and numbers; strings on the host, numbers also in compiled steps.
Never: puts a string into a program, or needs TensorFlow, as Keras' own layers of these names do.
"""

from stratagem._preprocessing import _host_kinds as _host_kinds
from stratagem._preprocessing._adapting import AdaptedLayer as AdaptedLayer
from stratagem._preprocessing._attach import attach_layers as attach_layers
from stratagem._preprocessing._attach import attach_weights as attach_weights
from stratagem._preprocessing._categories import CategoryEncoding as CategoryEncoding
from stratagem._preprocessing._discretization import Discretization as Discretization
from stratagem._preprocessing._hashing import HashedCrossing as HashedCrossing
from stratagem._preprocessing._hashing import Hashing as Hashing
from stratagem._preprocessing._lookups import IntegerLookup as IntegerLookup
from stratagem._preprocessing._lookups import StringLookup as StringLookup
from stratagem._preprocessing._normalization import Normalization as Normalization
from stratagem._preprocessing._random_crop import RandomCrop as RandomCrop
from stratagem._preprocessing._random_sizes import RandomHeight as RandomHeight
from stratagem._preprocessing._random_sizes import RandomWidth as RandomWidth
from stratagem._preprocessing._text_vectorization import TextVectorization as TextVectorization
