"""tf.compat.v1.sparse: the names of tf.sparse, some with other arguments."""
