"""tf.compat.v1.random: the names of tf.random, and TensorFlow 1's own."""

from stratagem.random import experimental as experimental
