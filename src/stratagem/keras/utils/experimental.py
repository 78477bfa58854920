"""tf.keras.utils.experimental."""

from stratagem.trainer import DatasetCreator

__all__ = ["DatasetCreator"]
