"""tf.experimental."""
