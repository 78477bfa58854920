"""tf.compat.v1.ragged: the names of tf.ragged."""
