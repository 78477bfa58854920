"""Stratagem: tf.distribute's training model on JAX and Keras 3. Use it as `import stratagem as tf`."""

from stratagem.keras import initializers as initializers
from stratagem.keras import losses as losses
from stratagem.keras import metrics as metrics
from stratagem.keras import optimizers as optimizers
from stratagem.keras import regularizers as regularizers

newaxis = None
