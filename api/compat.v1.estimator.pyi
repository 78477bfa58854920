"""tf.compat.v1.estimator: everything that tf.estimator has; canned Estimators whose losses are sums."""

from stratagem.estimator import export as export
