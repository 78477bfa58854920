"""AutoGraph: Python's `if`, `while` and `for` on tensors as parts of compiled programs.

In: the user's functions.
Out: functions that do the same, and in a trace let tensors decide when the program runs.
Never: converts a library's code, or anything outside of a trace; writes a file.
"""

from malt.core.converter import Feature as Feature
from malt.lang.directives import set_loop_options as set_loop_options

from stratagem._autograph._attach import attach_overrides as attach_overrides
from stratagem._autograph._calls import converted as converted
from stratagem._autograph._calls import do_not_convert as do_not_convert
from stratagem._autograph._function import function as function
from stratagem._autograph._function import vectorized_map as vectorized_map
from stratagem._autograph._inspection import set_verbosity as set_verbosity
from stratagem._autograph._inspection import to_code as to_code
from stratagem._autograph._inspection import to_graph as to_graph
from stratagem._autograph._inspection import trace as trace
