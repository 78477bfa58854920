"""tf.estimator.experimental: early stopping, and calls of logit functions."""
