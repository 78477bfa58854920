"""tf.tpu."""
