"""tf.distribute.coordinator."""
