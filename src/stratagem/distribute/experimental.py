"""tf.distribute.experimental."""

from typing import Any

from stratagem.ops import not_provided
from stratagem.pipeline import ValueContext as ValueContext


def __getattr__(name: str) -> Any:
    raise not_provided("distribute.experimental", name)
