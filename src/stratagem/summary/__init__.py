"""`tf.summary`: scalars, histograms, images, text and sound for TensorBoard."""

from stratagem import _hooks
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
from stratagem._ops import not_provided as _not_provided
from stratagem.summary import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("summary", name)
