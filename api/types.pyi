"""tf.types."""
