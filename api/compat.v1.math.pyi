"""tf.compat.v1.math: the names of tf.math, some with other arguments."""

from stratagem.math import special as special
