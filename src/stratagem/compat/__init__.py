"""tf.compat."""

from typing import Any

from stratagem.compat import v1 as v1
from stratagem.ops import not_provided


def __getattr__(name: str) -> Any:
    raise not_provided("compat", name)
