"""tf.keras.datasets.mnist."""
