"""tf.keras.losses: Keras 3's losses, and TensorFlow's `Reduction`."""

from keras.losses import *


class Reduction:
    """How a loss object combines the rows' losses (TF's names for Keras' strings)."""

    AUTO = "sum_over_batch_size"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every value."""
        return (cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)
