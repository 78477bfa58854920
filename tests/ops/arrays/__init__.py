"""`tf.TensorArray`: small programs, and what TensorFlow 2.15.1 gives for them."""
