"""tf.profiler.experimental.server."""
