"""Names at TensorFlow's root about types, variables and registration, and what TensorFlow 2.15.1 gives for them."""
