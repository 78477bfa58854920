"""Turns a step's Python code into a program on all replicas: the context, the mesh, values on replicas, the step.

In: functions of the user's, and their arguments; Keras variables; iterators, by their methods.
Out: `step` runs a function as one compiled program; `values` has variables and results with many replicas; `mesh` the
devices; `context` the one context variable: the strategy, replica and recorder of the current code.
Never: knows where data comes from, which strategy is active, or how servers hold a variable.
"""
