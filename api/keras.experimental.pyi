"""tf.keras.experimental: TensorFlow's old names of an evaluator, of a layer of sequences, a model, and of learning rates."""

from keras.optimizers.schedules import CosineDecay as CosineDecay
from keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
