"""tf.compat.v1.compat."""

from stratagem.compat import v1 as v1

import stratagem as v2
