"""tf.keras.layers.experimental.preprocessing: an old name of the layers that prepare data."""

from keras.layers import CenterCrop as CenterCrop
from keras.layers import RandomContrast as RandomContrast
from keras.layers import RandomFlip as RandomFlip
from keras.layers import RandomRotation as RandomRotation
from keras.layers import RandomTranslation as RandomTranslation
from keras.layers import RandomZoom as RandomZoom
from keras.layers import Rescaling as Rescaling
from keras.layers import Resizing as Resizing

from stratagem._preprocessing import AdaptedLayer as PreprocessingLayer  # noqa: F401
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
