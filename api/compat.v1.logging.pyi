"""tf.compat.v1.logging."""
