"""tf.keras.utils.experimental."""

from stratagem._training import DatasetCreator

__all__ = ["DatasetCreator"]
