"""tf.train.experimental."""
