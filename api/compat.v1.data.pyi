"""tf.compat.v1.data."""

from stratagem.data import experimental as experimental
