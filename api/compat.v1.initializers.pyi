"""tf.compat.v1.initializers."""
