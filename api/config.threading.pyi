"""tf.config.threading."""
