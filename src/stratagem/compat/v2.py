"""tf.compat.v2 is `tf` itself: `import stratagem.compat.v2 as tf` binds the package."""

import sys as _sys

_sys.modules[__name__] = _sys.modules["stratagem"]
