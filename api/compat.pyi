"""tf.compat."""

import stratagem as v2
