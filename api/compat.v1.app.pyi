"""tf.compat.v1.app: runs a program's main function with absl's flags."""

from stratagem.compat.v1 import flags as flags
