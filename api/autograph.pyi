"""`tf.autograph`: tensors that decide in Python's `if`, `while` and `for`."""
