"""tf.compat.v1.compat."""

import stratagem as v2
from stratagem.compat import v1 as v1
