"""tf.profiler."""
