"""tf.profiler.experimental."""

from typing import Any as _Any

from stratagem._events import Profile as Profile
from stratagem._events import ProfiledSection as Trace  # noqa: F401
from stratagem._events import ProfilerOptions as ProfilerOptions
from stratagem._events import start_profile as start  # noqa: F401
from stratagem._events import stop_profile as stop  # noqa: F401
from stratagem._ops import not_provided as _not_provided
from stratagem.profiler.experimental import client as client
from stratagem.profiler.experimental import server as server


def __getattr__(name: str) -> _Any:
    raise _not_provided("profiler.experimental", name)
