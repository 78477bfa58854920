"""tf.compat.v1.estimator.experimental: early stopping, as in tf.estimator; the parts of canned models."""
