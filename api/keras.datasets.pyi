"""tf.keras.datasets: MNIST and Fashion-MNIST, which are also found without a download, and Keras' own loaders for the rest."""

from keras.datasets import *
