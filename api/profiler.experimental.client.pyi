"""tf.profiler.experimental.client."""
