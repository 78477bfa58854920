"""tf.types.experimental: what values are called in annotations and `isinstance`."""
