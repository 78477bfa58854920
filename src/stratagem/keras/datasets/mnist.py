"""tf.keras.datasets.mnist."""

from stratagem.pipeline import load_mnist as load_data

__all__ = ["load_data"]
