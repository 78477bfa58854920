"""tf.keras.optimizers.legacy: the optimizers of TensorFlow before 2.11, with their formulas and settings."""
