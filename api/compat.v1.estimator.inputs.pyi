"""tf.compat.v1.estimator.inputs: input functions of arrays and of pandas' tables."""
