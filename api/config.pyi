"""tf.config."""
