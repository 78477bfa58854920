"""tf.compat.v1.estimator.tpu.experimental, of which nothing is provided: its names say what to use."""
