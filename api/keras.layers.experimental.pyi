"""tf.keras.layers.experimental: old names of layers."""

from keras.layers import EinsumDense as EinsumDense
