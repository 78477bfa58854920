"""tf.compat.v1.losses."""
