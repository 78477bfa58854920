"""`tf.random`: random tensors."""
