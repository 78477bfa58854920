"""tf.keras.datasets.fashion_mnist."""
