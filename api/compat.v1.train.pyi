"""tf.compat.v1.train."""

from stratagem.train import experimental as experimental
