"""tf.keras.layers.experimental.preprocessing: an old name of the layers that prepare data."""

from keras.layers import CenterCrop as CenterCrop
from keras.layers import RandomContrast as RandomContrast
from keras.layers import RandomFlip as RandomFlip
from keras.layers import RandomRotation as RandomRotation
from keras.layers import RandomTranslation as RandomTranslation
from keras.layers import RandomZoom as RandomZoom
from keras.layers import Rescaling as Rescaling
from keras.layers import Resizing as Resizing
