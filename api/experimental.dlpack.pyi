"""tf.experimental.dlpack."""
