"""The versions of this package and of the compiler, as `tf.version` has them."""

from importlib.metadata import PackageNotFoundError, version
from typing import Final

from stratagem._base.exports import exported


def _own() -> str:
    try:
        return f"stratagem-{version('stratagem')}"
    except PackageNotFoundError:  # a checkout that is not installed
        return "stratagem"


GIT_VERSION: Final = exported("version.GIT_VERSION")(_own())
COMPILER_VERSION: Final = exported("version.COMPILER_VERSION")(f"XLA of jaxlib {version('jaxlib')}")
