"""tf1.summary."""

from stratagem._tf1.graph.summary._summaries import Summary as Summary
from stratagem._tf1.graph.summary._summaries import histogram as histogram
from stratagem._tf1.graph.summary._summaries import image as image
from stratagem._tf1.graph.summary._summaries import merge as merge
from stratagem._tf1.graph.summary._summaries import merge_all as merge_all
from stratagem._tf1.graph.summary._summaries import scalar as scalar
from stratagem._tf1.graph.summary._summaries import text as text
