"""`tf.io.gfile`: files and folders, of this machine and others."""
