"""tf.keras: Keras 3, together with TensorFlow's names that Keras 3 has dropped."""

from keras import *
from keras import __version__ as __version__
