"""tf.sysconfig."""
