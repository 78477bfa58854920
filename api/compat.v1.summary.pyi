"""tf.compat.v1.summary."""
