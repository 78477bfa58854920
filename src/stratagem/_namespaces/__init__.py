"""The public namespaces: `tf` and all that is below it, whose names are imported when a program first uses them.

In: the table of public names, which `make api` writes into `_names.py` from the declarations beside the code and in `api/`.
Out: the names of a namespace, an error that says what to use for a name that is missing, `dir()`.
Never: defines a name: that is done where its value is.
"""

from stratagem._namespaces._namespace import attach as attach
