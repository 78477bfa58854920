"""`tf.errors`: TensorFlow's exceptions, each one also a built-in, and their codes; exceptions of this library."""
