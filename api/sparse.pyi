"""`tf.sparse`: sparse tensors, some of whose entries are given with their indices."""
