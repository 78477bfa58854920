"""`tf.math`: arithmetic, comparison, reductions and segments."""
