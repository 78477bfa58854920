"""`tf.nn.experimental`: dropout with numbers of the caller's."""
