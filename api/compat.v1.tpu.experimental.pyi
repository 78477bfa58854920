"""tf.compat.v1.tpu.experimental: TPU cores by their topology, as in tf.tpu.experimental."""
