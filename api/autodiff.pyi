"""`tf.autodiff`: differentiation in reverse and forward."""
