"""Keras 2's names of a reduction: the way in which a loss object combines the losses of the rows."""

from stratagem._base.exports import exported


@exported("keras.losses.Reduction")
class LossReduction:
    """`tf.keras.losses.Reduction`, names of Keras' strings that say how a loss object combines the losses of the rows."""

    AUTO = "sum_over_batch_size"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All values."""
        return (cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)
