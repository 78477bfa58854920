"""tf.compat.v1.python_io: TFRecord files, written and read record by record."""
