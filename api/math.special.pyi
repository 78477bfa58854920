"""`tf.math.special`: Bessel functions and integrals."""
