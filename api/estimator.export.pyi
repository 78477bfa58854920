"""tf.estimator.export: what a served model is given, and what it answers."""
