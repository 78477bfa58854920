"""tf.keras.experimental: TensorFlow's old names of an evaluator and of learning rates."""

from keras.optimizers.schedules import CosineDecay as CosineDecay
from keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts

from stratagem._training import SidecarEvaluator as SidecarEvaluator
