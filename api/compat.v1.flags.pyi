"""tf.compat.v1.flags: absl's flags, which are parsed when one of them is first read."""

from absl.flags import *
