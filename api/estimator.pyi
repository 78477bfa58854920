"""tf.estimator: Estimators, their specs, hooks and configuration."""
