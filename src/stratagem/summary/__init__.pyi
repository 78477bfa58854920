# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._events import SummaryWriter as SummaryWriter
from stratagem._events import audio as audio
from stratagem._events import create_file_writer as create_file_writer
from stratagem._events import create_noop_writer as create_noop_writer
from stratagem._events import flush as flush
from stratagem._events import graph as graph
from stratagem._events import histogram as histogram
from stratagem._events import image as image
from stratagem._events import record_if as record_if
from stratagem._events import scalar as scalar
from stratagem._events import should_record_summaries as should_record_summaries
from stratagem._events import text as text
from stratagem._events import trace_export as trace_export
from stratagem._events import trace_off as trace_off
from stratagem._events import trace_on as trace_on
from stratagem._events import write as write
from stratagem.summary import experimental as experimental

__all__ = [
    "SummaryWriter", "audio", "create_file_writer", "create_noop_writer", "experimental", "flush", "graph", "histogram",
    "image", "record_if", "scalar", "should_record_summaries", "text", "trace_export", "trace_off", "trace_on", "write"
]  # fmt: skip
