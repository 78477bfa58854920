"""`tf.linalg`: products, norms, diagonals, decompositions, linear equations, functions of matrices."""
