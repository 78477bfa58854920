"""tf.keras.estimator."""
