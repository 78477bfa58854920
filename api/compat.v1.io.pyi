"""tf.compat.v1.io: the names of tf.io, some with other arguments."""

from stratagem.io import gfile as gfile
