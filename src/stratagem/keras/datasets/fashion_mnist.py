"""tf.keras.datasets.fashion_mnist."""

from stratagem._data import load_fashion_mnist as load_data

__all__ = ["load_data"]
