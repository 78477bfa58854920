"""`tf.summary`: scalars, histograms, images, text and sound for TensorBoard."""
