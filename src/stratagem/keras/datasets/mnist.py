"""tf.keras.datasets.mnist."""

from stratagem._data import load_mnist as load_data

__all__ = ["load_data"]
