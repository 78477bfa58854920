"""`tf.dtypes.experimental`: numbers of 4 and 8 bits."""
