"""tf.distribute.experimental."""

from stratagem.distribute import coordinator as coordinator
