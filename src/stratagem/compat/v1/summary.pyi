# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.summary import histogram as histogram
from stratagem._tf1.graph.summary import image as image
from stratagem._tf1.graph.summary import merge as merge
from stratagem._tf1.graph.summary import merge_all as merge_all
from stratagem._tf1.graph.summary import scalar as scalar
from stratagem._tf1.graph.summary import text as text
from stratagem._tf1.sessions import FileWriter as FileWriter
from stratagem._tf1.sessions import FileWriterCache as FileWriterCache
from stratagem._tf1.sessions import Summary as Summary

__all__ = [
    "FileWriter", "FileWriterCache", "Summary", "histogram", "image", "merge", "merge_all", "scalar", "text"
]  # fmt: skip
