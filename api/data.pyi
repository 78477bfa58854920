"""tf.data."""
