"""tf.compat."""

from typing import Any

from stratagem import _hooks
from stratagem._ops import not_provided
from stratagem.compat import v1 as v1

_hooks.install()


def __getattr__(name: str) -> Any:
    raise not_provided("compat", name)
