"""Tensor functions with TensorFlow 1's arguments, where those differ; `tf.compat.v1` says which name each of them has."""
