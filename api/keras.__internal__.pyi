"""tf.keras.__internal__: names that libraries of TensorFlow's authors use."""
