"""tf.config.experimental."""
