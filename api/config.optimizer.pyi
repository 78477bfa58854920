"""tf.config.optimizer."""
