"""tf.compat.v1.metrics."""
