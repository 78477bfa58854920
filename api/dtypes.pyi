"""`tf.dtypes`: the dtype objects and casts."""
