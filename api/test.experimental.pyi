"""tf.test.experimental."""
