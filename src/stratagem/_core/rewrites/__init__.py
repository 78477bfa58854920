"""Rewrites a traced program for its platform: equations that XLA computes wrongly, and on CPUs those that it computes slowly.

In: a program, the platform that it will run on.
Out: a program with the same results; the options with which XLA compiles it; parts of a program that XLA keeps apart.
Never: depends on the values of a run or on how fast the machine is; changes a program after it was compiled.
"""

from stratagem._core.rewrites._finished import rewrite_finished as rewrite_finished
from stratagem._core.rewrites._inlined import inline_calls as inline_calls
from stratagem._core.rewrites._inlined import inlined as inlined
from stratagem._core.rewrites._memory import largest_array as largest_array
from stratagem._core.rewrites._memory import size as size
from stratagem._core.rewrites._options import compiler_options as compiler_options
from stratagem._core.rewrites._rules import rewrite as rewrite
from stratagem._core.rewrites._rules import rewrite_loops as rewrite_loops
