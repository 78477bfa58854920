"""tf.compat.v1.linalg: the names of tf.linalg, some with other arguments."""

from stratagem.linalg import experimental as experimental
