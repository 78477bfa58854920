"""tf.compat.v1.summary."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._tf1.graph.summary import histogram as histogram
from stratagem._tf1.graph.summary import image as image
from stratagem._tf1.graph.summary import merge as merge
from stratagem._tf1.graph.summary import merge_all as merge_all
from stratagem._tf1.graph.summary import scalar as scalar
from stratagem._tf1.graph.summary import text as text
from stratagem._tf1.sessions import FileWriter as FileWriter
from stratagem._tf1.sessions import FileWriterCache as FileWriterCache
from stratagem._tf1.sessions import Summary as Summary


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat.v1.summary", name)
