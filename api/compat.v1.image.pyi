"""tf.compat.v1.image: the names of tf.image, some with other arguments; resizing places pixels elsewhere."""
