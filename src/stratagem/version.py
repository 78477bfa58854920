"""tf.version: the version of TensorFlow whose API this is; GIT_VERSION has the package's own."""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from stratagem._ops import not_provided_in as _not_provided_in

VERSION = "2.15.1"
try:
    GIT_VERSION = f"stratagem-{_version('stratagem')}"
except _PackageNotFoundError:  # a checkout that is not installed
    GIT_VERSION = "stratagem"
COMPILER_VERSION = f"XLA of jaxlib {_version('jaxlib')}"
# Of TensorFlow 2.15.1's graphs, which are not read or written here.
GRAPH_DEF_VERSION = 1645
GRAPH_DEF_VERSION_MIN_CONSUMER = GRAPH_DEF_VERSION_MIN_PRODUCER = 0

__getattr__ = _not_provided_in("version")
