"""ModeKeys: what a model_fn is called for."""

from typing import Final, final


@final
class ModeKeys:
    """As `tf.estimator.ModeKeys`."""

    TRAIN: Final = "train"
    EVAL: Final = "eval"
    PREDICT: Final = "infer"
