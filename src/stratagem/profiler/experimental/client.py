"""tf.profiler.experimental.client."""

from typing import Any as _Any

from stratagem._events import client_trace as monitor  # noqa: F401
from stratagem._events import client_trace as trace  # noqa: F401
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("profiler.experimental.client", name)
