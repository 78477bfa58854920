"""tf.keras.__internal__: names that libraries of TensorFlow's authors use."""

from stratagem.keras.__internal__ import losses as losses
