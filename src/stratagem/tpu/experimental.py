"""tf.tpu.experimental."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._strategies import Topology as Topology
from stratagem._strategies import initialize_tpu_system as initialize_tpu_system
from stratagem._strategies import shutdown_tpu_system as shutdown_tpu_system


def __getattr__(name: str) -> _Any:
    raise _not_provided("tpu.experimental", name)
