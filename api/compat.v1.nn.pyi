"""tf.compat.v1.nn: the names of tf.nn, some with other arguments."""

from stratagem.nn import experimental as experimental
