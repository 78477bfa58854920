"""tf.keras.datasets: MNIST and Fashion-MNIST, which are also found without a download, and Keras' own loaders for the rest."""

import keras.datasets as _keras_datasets
from keras.datasets import *

__path__.extend(_keras_datasets.__path__)

import stratagem.keras.datasets.fashion_mnist  # noqa: E402
import stratagem.keras.datasets.mnist  # noqa: E402, F401
