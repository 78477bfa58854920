"""tf.compat.v1.debugging: the names of tf.debugging, some with other arguments."""
