"""tf.compat.v1.lookup: the tables of tf.lookup, the static ones with an `initializer`."""

from stratagem.lookup import experimental as experimental
