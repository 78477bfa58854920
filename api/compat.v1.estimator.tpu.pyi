"""tf.compat.v1.estimator.tpu: TPUEstimator and its configuration."""
