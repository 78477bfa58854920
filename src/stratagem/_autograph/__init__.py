"""AutoGraph: Python's `if`, `while` and `for` on tensors as parts of compiled programs.

In: the user's functions.
Out: functions that do the same, and in a trace let tensors decide when the program runs.
Never: converts a library's code, or anything outside of a trace; writes a file.
"""

from stratagem._autograph._attach import attach_overrides as attach_overrides
from stratagem._autograph._calls import converted as converted
