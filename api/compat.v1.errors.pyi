"""tf.compat.v1.errors."""
