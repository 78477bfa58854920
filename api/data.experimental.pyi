"""tf.data.experimental."""
