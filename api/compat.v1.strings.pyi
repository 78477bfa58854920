"""tf.compat.v1.strings: the names of tf.strings, some with other arguments."""
