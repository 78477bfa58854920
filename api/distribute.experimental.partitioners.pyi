"""tf.distribute.experimental.partitioners."""
