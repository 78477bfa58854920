"""`tf.summary`: scalars, histograms, images, text and sound for TensorBoard."""

from stratagem._ops import not_provided as _not_provided
from stratagem.events import SummaryWriter as SummaryWriter
from stratagem.events import audio as audio
from stratagem.events import create_file_writer as create_file_writer
from stratagem.events import create_noop_writer as create_noop_writer
from stratagem.events import flush as flush
from stratagem.events import graph as graph
from stratagem.events import histogram as histogram
from stratagem.events import image as image
from stratagem.events import record_if as record_if
from stratagem.events import scalar as scalar
from stratagem.events import should_record_summaries as should_record_summaries
from stratagem.events import text as text
from stratagem.events import trace_export as trace_export
from stratagem.events import trace_off as trace_off
from stratagem.events import trace_on as trace_on
from stratagem.events import write as write
from stratagem.summary import experimental as experimental


def __getattr__(name: str) -> object:
    raise _not_provided("summary", name)
