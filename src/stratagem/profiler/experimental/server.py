"""tf.profiler.experimental.server."""

from typing import Any as _Any

from stratagem._events import start_profile_server as start  # noqa: F401
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("profiler.experimental.server", name)
