"""tf.compat.v1.layers."""
