"""tf.profiler.experimental."""
