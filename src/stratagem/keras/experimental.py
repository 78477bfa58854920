"""tf.keras.experimental: TensorFlow's old name of an evaluator."""

from stratagem._training import SidecarEvaluator

__all__ = ["SidecarEvaluator"]
