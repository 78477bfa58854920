# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._events import Profile as Profile
from stratagem._events import ProfiledSection as Trace
from stratagem._events import ProfilerOptions as ProfilerOptions
from stratagem._events import start_profile as start
from stratagem._events import stop_profile as stop
from stratagem.profiler.experimental import client as client
from stratagem.profiler.experimental import server as server

__all__ = [
    "Profile", "ProfilerOptions", "Trace", "client", "server", "start", "stop"
]  # fmt: skip
