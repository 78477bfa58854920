"""From a step's Python code to a program on all replicas: the context, the mesh, values that replicas have, the step.

In: functions of the user's, and what they are called with; variables of Keras; iterators by what they do.
Out: `step` runs a function as one compiled program; `values` has what variables and results are with many replicas; `mesh` the
devices; `context` the one context variable: which strategy, replica and recording the present code runs in.
Never: knows where data comes from, which strategy is active, or how servers keep a variable.
"""
