"""`tf.strings`: text as tensors."""
