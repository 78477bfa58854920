"""`tf.bitwise`: integers bit by bit."""
