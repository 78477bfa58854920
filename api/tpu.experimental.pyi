"""tf.tpu.experimental."""
