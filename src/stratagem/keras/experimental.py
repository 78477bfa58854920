"""tf.keras.experimental: TensorFlow's old name of an evaluator."""

from stratagem.trainer import SidecarEvaluator

__all__ = ["SidecarEvaluator"]
